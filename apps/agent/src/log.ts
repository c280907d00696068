import { pino, type Logger, type LoggerOptions } from 'pino';

const SECRETS = ['secretAccessKey', 'credential', 'enrolmentToken', 'token', 'authorization', 'password'];

/** Logs as JSON lines on standard error: standard output is for results. */
export function createAgentLog(level: string = 'info'): Logger {
  return pino(logOptions(level), process.stderr);
}

/** Nothing that is logged holds a secret; the redaction is for the mistake that would change that. */
export function logOptions(level: string): LoggerOptions {
  return {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: '[secret]',
    },
  };
}

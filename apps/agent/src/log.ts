import { pino, type Logger } from 'pino';

/**
 * Logs as JSON lines on standard output. Nothing that is logged holds a secret; the redaction is for the mistake that
 * would change that.
 */
export function createAgentLog(level: string = 'info'): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: '[secret]',
    },
  });
}

const SECRETS = ['secretAccessKey', 'credential', 'enrolmentToken', 'token', 'authorization', 'password'];

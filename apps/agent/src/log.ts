import { destination, pino, type Logger } from 'pino';

/**
 * Logs as JSON lines on standard error, so that a command's own output stays apart. Nothing that is logged holds a secret; the redaction is for the mistake that
 * would change that.
 */
export function createAgentLog(level: string = 'info'): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: '[secret]',
    },
  };
  return pino(options, destination(2));
}

const SECRETS = ['secretAccessKey', 'credential', 'enrolmentToken', 'token', 'authorization', 'password'];

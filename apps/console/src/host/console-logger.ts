import { pino, stdSerializers, type Logger } from 'pino';
import type { ConsoleOptions } from '../config/console-options.ts';

/** Places where a secret could appear in a log entry. */
const SECRET_PATHS = [
  'password',
  'secretAccessKey',
  'secret',
  'token',
  'credential',
  'authorization',
  'cookie',
  'sealedSecret',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** A logger that writes JSON lines to the standard error output, with secrets blanked out. */
export function consoleLogger(level: ConsoleOptions['logLevel']): Logger {
  return pino(
    {
      name: 'weir-console',
      level,
      redact: { paths: [...SECRET_PATHS, '*.headers["set-cookie"]'], censor: '[secret]' },
      serializers: {
        err: stdSerializers.err,
        // Headers carry credentials, so requests are logged without them.
        req: ({ method, url, ip }: { method: string; url: string; ip: string }) => ({ method, url, ip }),
      },
    },
    process.stderr,
  );
}

import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from '../output/command-error.ts';

/** Where a password comes from. */
export interface PasswordSources {
  passwordFile: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  /** Asks the person at the terminal; null: nobody is there. */
  ask: (() => Promise<string>) | null;
}

/**
 * The password: from the file, else from `WEIR_PASSWORD`, else asked for. Never from a flag: every user of a machine can read
 * command lines.
 * @throws CommandError file-unreadable, password-missing
 */
export async function readPassword({ passwordFile, environment, ask }: PasswordSources): Promise<string> {
  if (passwordFile !== undefined) {
    try {
      return (await readFile(passwordFile, 'utf8')).replace(/\r?\n$/, '');
    } catch (error) {
      throw new CommandError('file-unreadable', `cannot read the password file ${passwordFile}`, {
        remedy: 'Name a file that exists and that you may read.',
        cause: error,
      });
    }
  }
  const given = environment['WEIR_PASSWORD'];
  if (given !== undefined && given !== '') return given;
  if (ask !== null) return ask();
  throw new CommandError('password-missing', 'there is no password to log in with', {
    remedy: 'Set WEIR_PASSWORD in the environment, or name a file with --password-file.',
  });
}

/** Asks on the terminal without showing what is typed. */
export function askHidden(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  return new Promise((resolve, reject) => {
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => reject(new CommandError('password-missing', 'no password was given')));
    lines.question('', (answer) => {
      process.stderr.write('\n');
      resolve(answer);
      lines.close();
    });
  });
}

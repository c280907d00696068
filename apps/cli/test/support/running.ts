import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildProgram } from '../../src/program.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** What a command printed and how it ended. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `weir <args>` in this process, as without a terminal. */
export async function weir(...args: string[]): Promise<Ran> {
  let out = '';
  let err = '';
  const terminal = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    interactive: false,
    columns: 100,
  };
  const code = await buildProgram(terminal).run(args);
  return { code, out, err };
}

/** A `weir <args>` in a process of its own. */
export interface Running {
  readonly done: Promise<Ran>;
  signal(name: NodeJS.Signals): void;
}

/** Starts `weir <args>` in a process of its own. A process that a signal ended has the code -1. */
export function startWeir(...args: string[]): Running {
  const child = spawn(process.execPath, ['--conditions=@weir/source', '--import', loader, main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const done = new Promise<Ran>((resolve) => {
    child.once('close', (code) => {
      process.off('exit', killAtExit);
      resolve({ code: code ?? -1, out, err });
    });
  });
  return { done, signal: (name) => void child.kill(name) };
}

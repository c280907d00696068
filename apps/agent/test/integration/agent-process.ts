import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AgentOptions } from '../../src/index.ts';

export interface AgentProcess {
  readonly pid: number;
  /** Everything it has logged, as lines of JSON. */
  output(): string;
  /** Exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  kill(signal: 'SIGKILL' | 'SIGTERM'): void;
}

/** Starts an agent in a process of its own, from the sources. */
export function startAgentProcess(options: AgentOptions): AgentProcess {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const script = fileURLToPath(new URL('./agent-main.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--conditions=@weir/source', '--import', loader, script, JSON.stringify(options)],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => (text += chunk));
  }
  if (child.pid === undefined) throw new Error('the agent process did not start');
  return {
    pid: child.pid,
    output: () => text,
    exited: new Promise((resolve) => {
      child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
    }),
    kill: (signal) => void child.kill(signal),
  };
}

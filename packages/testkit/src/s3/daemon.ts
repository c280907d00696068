import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { endChild, untilSpawned } from '../child-process.ts';

/**
 * From util-linux: asks the kernel to end the daemon with its parent, also when the parent is killed and can clean up
 * nothing. It replaces itself by the daemon, so the process id stays the daemon's.
 */
const SETPRIV = '/usr/bin/setpriv';

/** A child process that is ended by its own id, and never outlives this process. */
export interface Daemon {
  readonly name: string;
  readonly pid: number;
  /** Resolves when the process has ended, with how. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Starts a process with its output in `logFile`. Throws when the program cannot be started. */
export async function startDaemon(name: string, command: string, args: string[], logFile: string): Promise<Daemon> {
  const log = openSync(logFile, 'a');
  const tied = existsSync(SETPRIV);
  const line = tied ? ['--pdeathsig', 'KILL', command, ...args] : args;
  const child = spawn(tied ? SETPRIV : command, line, { stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code ?? 'unknown'}`));
  });
  // Also ends it with this process where there is no setpriv, as far as this process still gets to do it.
  await untilSpawned(child);
  return { name, pid: child.pid ?? 0, ended, stop: () => endChild(child, 'SIGTERM') };
}

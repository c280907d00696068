import type { ChildProcess } from 'node:child_process';

const STOP_GRACE_MS = 5_000;

/** Waits until the process runs, and ends it with this one: a test run that is interrupted leaves no server behind. */
export async function untilSpawned(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.once('exit', () => process.off('exit', killAtExit));
}

/** Whether the process has ended, by itself or by a signal. */
export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Ends a process and waits for it; SIGKILL when it does not go in 5 s. One that has ended, or none, is left alone. */
export async function endChild(child: ChildProcess | undefined, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child === undefined || hasEnded(child)) return;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
  await ended;
  clearTimeout(timer);
}

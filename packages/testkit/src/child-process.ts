import type { ChildProcess } from 'node:child_process';

const STOP_GRACE_MS = 5_000;

/** Children that run; one listener ends them all, since Node warns of a leak from the eleventh on. */
const running = new Set<ChildProcess>();

function killRunning(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Waits until the process runs, and ends it with this one: a test run that is interrupted leaves no server behind. */
export async function untilSpawned(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  if (running.size === 0) process.once('exit', killRunning);
  running.add(child);
  const forget = (): void => {
    running.delete(child);
    if (running.size === 0) process.off('exit', killRunning);
  };
  // It may have ended while this function waited for its turn.
  if (hasEnded(child)) forget();
  else child.once('exit', forget);
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

import { spawn } from 'node:child_process';

/** What a program used from its start to its end. */
export interface Usage {
  readonly seconds: number;
  /** User and system time of the process and its children. */
  readonly cpuSeconds: number;
}

const MARK = 'benchmark-time';
/** A program that hangs would hold up everything after it. */
const GIVE_UP_MS = 15 * 60_000;

/**
 * Runs a program to its end and measures all of it, the start included. bash measures: it is told by the kernel what its
 * children used, and Node passes that on to nobody.
 * @throws Error with what the program printed when its exit code is not 0, or when it took a quarter of an hour
 */
export async function timed(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Usage> {
  const script = `TIMEFORMAT='${MARK} %R %U %S'; time "$@"`;
  const child = spawn('bash', ['-c', script, 'bash', command, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', ...environment },
    // A group of its own, so that the program ends with its shell.
    detached: true,
  });
  const killAtExit = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const giveUp = setTimeout(killAtExit, GIVE_UP_MS);
  process.once('exit', killAtExit);
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => {
    printed = (printed + chunk.toString()).slice(-8_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  clearTimeout(giveUp);
  process.off('exit', killAtExit);
  const [, seconds, user, system] = new RegExp(`${MARK} ([\\d.]+) ([\\d.]+) ([\\d.]+)`).exec(printed) ?? [];
  if (code !== 0 || seconds === undefined) throw new Error(`${command} ended with code ${code}: ${printed}`);
  return { seconds: Number(seconds), cpuSeconds: Number(user) + Number(system) };
}

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TakerOrder, TakerReport } from './taker.ts';

const program = fileURLToPath(new URL('./taker.ts', import.meta.url));
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** One process that is ready to take. */
export interface Taker {
  readonly pid: number;
  start(): void;
  /** Its report, or `undefined` when it died before. */
  readonly done: Promise<TakerReport | undefined>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
}

/** Starts processes and waits until each has its connection. They take once told to. */
export function startTakers(orders: readonly TakerOrder[]): Promise<readonly Taker[]> {
  return Promise.all(orders.map(startTaker));
}

async function startTaker(order: TakerOrder): Promise<Taker> {
  const child = spawn(
    process.execPath,
    ['--conditions=@weir/source', '--import', loader, program, JSON.stringify(order)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      process.off('exit', killAtExit);
      resolve();
    });
  });
  const lines = createInterface({ input: child.stdout });
  let report: TakerReport | undefined;
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    void ended.then(() => reject(new Error('a taker ended before it was ready; its error output is above')));
    lines.on('line', (line) => {
      if (line === 'ready') resolve();
      else report = parseReport(line);
    });
  });
  return {
    pid: child.pid ?? 0,
    start: () => void child.stdin.write('go\n'),
    done: ended.then(() => report),
    kill: () => killNow(child, ended),
  };
}

async function killNow(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

function parseReport(line: string): TakerReport {
  const report: unknown = JSON.parse(line);
  if (typeof report !== 'object' || report === null || !('admitted' in report)) throw new Error(`no report: ${line}`);
  const { admitted, refused, withoutStore } = { refused: 0, withoutStore: 0, ...report };
  return { admitted: Number(admitted), refused, withoutStore };
}

import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TakerOrder, TakerReport } from './taker.ts';

const program = fileURLToPath(new URL('./taker.ts', import.meta.url));
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** One process that is ready to take. */
export interface Taker {
  start(): void;
  /** Its report; `undefined` when it died before. */
  readonly report: Promise<TakerReport | undefined>;
  /** Ends it as a crash does. */
  kill(): void;
}

/** Starts processes, one after the other so that two cores are enough, and waits until each is ready. */
export async function startTakers(orders: readonly TakerOrder[]): Promise<Taker[]> {
  const takers: Taker[] = [];
  for (const order of orders) takers.push(await startTaker(order));
  return takers;
}

async function startTaker(order: TakerOrder): Promise<Taker> {
  const args = ['--conditions=@weir/source', '--import', loader, program, JSON.stringify(order)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  let report: TakerReport | undefined;
  const ended = new Promise<TakerReport | undefined>((resolve) => {
    child.once('close', () => {
      process.off('exit', killAtExit);
      resolve(report);
    });
  });
  await readiness(child, (line) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by taker.ts from a TakerReport
    report = JSON.parse(line) as TakerReport;
  });
  return {
    start: () => void child.stdin.write('go\n'),
    report: ended,
    kill: () => void child.kill('SIGKILL'),
  };
}

function readiness(child: ChildProcess, reported: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error('a process ended before it was ready; its error output is above')));
    if (child.stdout === null) throw new Error('the output of the process is not piped');
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') resolve();
      else reported(line);
    });
  });
}

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const TSX = fileURLToPath(import.meta.resolve('tsx'));

/** A grant as the program told of it. */
export interface TimedGrant {
  atMs: number;
  windowNumber: number;
  creditBudget: number;
}

/** What a program said until it ended. */
export interface FinishedProgram {
  exitCode: number | null;
  grants: TimedGrant[];
  /** Lines of its output, parsed. */
  events: readonly Record<string, unknown>[];
}

/** Runs an example as a user would, until it ends. `input` is what it reads from its standard input. */
export async function runProgram(
  folder: string,
  args: readonly string[],
  env: Record<string, string>,
  input: string = '',
): Promise<FinishedProgram> {
  const child = spawn(process.execPath, ['--conditions=@weir/source', '--import', TSX, 'main.ts', ...args], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  child.stdin.end(input);
  const events: Record<string, unknown>[] = [];
  for await (const line of createInterface({ input: child.stdout })) events.push(JSON.parse(line));
  return { exitCode: await exited, grants: events.flatMap(grantOf), events };
}

function grantOf(event: Record<string, unknown>): TimedGrant[] {
  const { type, atMs, grant } = event;
  if (type !== 'granted' || typeof atMs !== 'number' || typeof grant !== 'object' || grant === null) return [];
  const windowNumber: unknown = Reflect.get(grant, 'windowNumber');
  const creditBudget: unknown = Reflect.get(grant, 'creditBudget');
  return typeof windowNumber === 'number' && typeof creditBudget === 'number'
    ? [{ atMs, windowNumber, creditBudget }]
    : [];
}

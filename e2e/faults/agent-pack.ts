import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { GrantBook, machineMs, type GrantEvent } from '@weir/testkit/grants';
import { waitUntil } from '../fixtures/wait-until.ts';

/** What a process of agents is started with. */
export interface PackOptions {
  names: readonly string[];
  consoleUrls: readonly string[];
  enrolmentToken: string;
  stateDir: string;
  /** Objects that an agent copies at once. */
  concurrency: number;
}

/** What a process of agents tells. Times are those of `machineMs`. */
export type AgentNews =
  | GrantEvent
  | { type: 'answered'; agent: string; atMs: number }
  /** Objects whose copy was admitted since the last news of this. */
  | { type: 'puts'; agent: string; total: number; atMs: number }
  | { type: 'refused'; agent: string; why: string }
  | { type: 'ready'; agents: readonly string[] };

const AGENTS_PER_PROCESS = 10;
const STOP_TIMEOUT_MS = 20_000;

/** A fleet of agents in a few processes, and what they saw. */
export class AgentPacks {
  readonly book = new GrantBook();
  readonly names: readonly string[];
  /** Agents that a console sent away, with the reason: always a failure. */
  readonly refused: string[] = [];
  readonly #answeredAtMs = new Map<string, number>();
  readonly #puts: { atMs: number; total: number }[] = [];
  readonly #children: ChildProcess[] = [];
  readonly #ready: Promise<unknown>[] = [];

  private constructor(names: readonly string[]) {
    this.names = names;
    process.once('exit', () => {
      for (const child of this.#children) child.kill('SIGKILL');
    });
  }

  /** Starts agents `agent-01` …, and waits until all have been answered. */
  static async start(count: number, options: Omit<PackOptions, 'names'>): Promise<AgentPacks> {
    const packs = new AgentPacks(Array.from({ length: count }, (_, n) => `agent-${String(n + 1).padStart(2, '0')}`));
    for (let from = 0; from < count; from += AGENTS_PER_PROCESS) {
      packs.#spawn({ ...options, names: packs.names.slice(from, from + AGENTS_PER_PROCESS) });
    }
    await Promise.all(packs.#ready);
    return packs;
  }

  get pids(): number[] {
    return this.#children.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  /** Objects whose copy was admitted between two moments. */
  putsBetween(fromMs: number, untilMs: number): number {
    return this.#puts.reduce((sum, { atMs, total }) => sum + (atMs > fromMs && atMs <= untilMs ? total : 0), 0);
  }

  /** Waits until every agent has had an answer to a heartbeat after `sinceMs`. @returns how long after, in ms */
  async untilAllAnswered(sinceMs: number, timeoutMs: number): Promise<number> {
    const silent = (): string[] => this.names.filter((name) => !((this.#answeredAtMs.get(name) ?? 0) > sinceMs));
    await waitUntil('every heartbeat is answered', timeoutMs, async () => (silent().length === 0 ? true : null)).catch(
      (error: unknown) => {
        throw new Error(`no answer to ${silent().join(', ')}`, { cause: error });
      },
    );
    return machineMs() - sinceMs;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        child.stdin?.end();
        const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
        await ended;
        clearTimeout(timer);
      }),
    );
  }

  #spawn(options: PackOptions): void {
    const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const script = fileURLToPath(new URL('./agents-main.ts', import.meta.url));
    const child = spawn(
      process.execPath,
      ['--conditions=@weir/source', '--import', loader, script, JSON.stringify(options)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    this.#children.push(child);
    this.#ready.push(
      new Promise<void>((resolve, reject) => {
        child.once('exit', (code) => reject(new Error(`a process of agents ended with code ${code ?? 'none'}`)));
        createInterface({ input: child.stdout }).on('line', (line) => {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own script prints one JSON object a line
          const news = JSON.parse(line) as AgentNews;
          if (news.type === 'ready') resolve();
          else this.#note(news);
        });
      }),
    );
    this.#ready.at(-1)?.catch(() => undefined);
  }

  #note(news: Exclude<AgentNews, { type: 'ready' }>): void {
    switch (news.type) {
      case 'granted':
      case 'ended':
        this.book.note(news);
        break;
      case 'answered':
        this.#answeredAtMs.set(news.agent, news.atMs);
        break;
      case 'puts':
        this.#puts.push({ atMs: news.atMs, total: news.total });
        break;
      case 'refused':
        this.refused.push(`${news.agent}: ${news.why}`);
        break;
    }
  }
}

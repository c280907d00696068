import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { UnusableDatabase } from '../../ports/unusable-database.ts';
import type { Ran, Statements } from './statements.ts';

/** What the thread is asked for. */
export type Call =
  | { readonly kind: 'run'; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly kind: 'copy'; readonly path: string }
  | { readonly kind: 'close' };

/** An error on its way between threads. */
export interface Failure {
  readonly message: string;
  /** Of an error of SQLite. */
  readonly code?: string;
  /** The database cannot be opened. */
  readonly unusable?: boolean;
}

/** What the thread says: once when the database is open, and then once for each call, in their order. */
export interface Answer {
  readonly ran?: Ran;
  readonly failure?: Failure;
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** Where the compiled entry of the thread is, seen from the sources (which tests run) and from itself. */
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/storage/sqlite/database-thread.js' : './database-thread.js',
  import.meta.url,
);

/**
 * Opens the database at `path` in a thread of its own, and runs statements there: what waits for the disk (a journal that is
 * written back, a page that is read) holds up nobody here. A call costs some 20 µs more by that.
 *
 * A thread that dies takes the process with it, as the error would have in this thread: without a database a console is none.
 * @throws UnusableDatabase see openDatabase
 */
export async function threadedStatements(path: string): Promise<Statements> {
  const thread = new Thread(path);
  await thread.opened;
  return {
    async run(sql, parameters) {
      const { ran } = await thread.ask({ kind: 'run', sql, parameters });
      if (ran === undefined) throw new Error('the thread of the database answered without a result');
      return ran;
    },
    copyTo: async (target) => void (await thread.ask({ kind: 'copy', path: target })),
    close: async () => void (await thread.ask({ kind: 'close' })),
  };
}

class Thread {
  readonly opened: Promise<Answer>;
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  /** It has been asked to end. */
  #closing = false;

  constructor(path: string) {
    // Flags of the process are for its own entry.
    this.#worker = new Worker(ENTRY, { workerData: path, name: 'weir-database', execArgv: [] });
    this.#worker.on('message', (answer: Answer) => this.#settle(answer));
    this.#worker.on('error', (error) => {
      for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
      throw error;
    });
    this.opened = this.#wait();
  }

  /** @throws SqliteError, or an Error with what else went wrong there */
  async ask(call: Call): Promise<Answer> {
    if (this.#closing) throw new Error('the database is closed');
    this.#closing = call.kind === 'close';
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(call);
    return this.#wait();
  }

  /** The process stays for what is under way, and for nothing else. */
  #wait(): Promise<Answer> {
    if (this.#waiting.length === 0) this.#worker.ref();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #settle(answer: Answer): void {
    const first = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#worker.unref();
    if (answer.failure === undefined) first?.resolve(answer);
    else first?.reject(errorOf(answer.failure));
  }
}

function errorOf({ message, code, unusable }: Failure): Error {
  if (unusable === true) return new UnusableDatabase(message);
  return code === undefined ? new Error(message) : new Database.SqliteError(message, code);
}

import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { StorageUnavailable } from '../../ports/storage-unavailable.ts';
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
 * A thread that dies takes the process with it, with the reason, as the error would have in this thread: without a database a
 * console is none.
 * @param entry of the thread; default: the console's own
 * @throws UnusableDatabase see openDatabase
 */
export async function threadedStatements(path: string, entry: URL = ENTRY): Promise<Statements> {
  const thread = new Thread(path, entry);
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
  /** It has not said yet whether the database can be used. */
  #opening = true;
  /** It has been asked to end. */
  #closing = false;

  constructor(path: string, entry: URL) {
    // Flags of the process are for its own entry.
    this.#worker = new Worker(entry, { workerData: path, name: 'weir-database', execArgv: [] });
    this.#worker.on('message', (answer: Answer) => this.#settle(answer));
    this.#worker.on('error', (error) => this.#died(error));
    this.#worker.on('messageerror', (error) => this.#died(error));
    this.#worker.on('exit', (code) => {
      if (!this.#closing || this.#waiting.length > 0) this.#died(new Error(`it ended with code ${code}`));
    });
    this.opened = this.#open();
  }

  async #open(): Promise<Answer> {
    try {
      return await this.#wait();
    } catch (error) {
      // It ends by itself then, and nobody will ask it.
      this.#closing = true;
      throw error;
    } finally {
      this.#opening = false;
    }
  }

  /** It cannot be asked any more. While it opens the database whoever waits for that says so; later nobody could go on. */
  #died(cause: Error): void {
    if (this.#closing && this.#waiting.length === 0) return;
    this.#closing = true;
    const error = new Error(`The thread of the database ended: ${cause.message}`, { cause });
    const opening = this.#opening;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
    if (!opening) throw error;
  }

  /** @throws SqliteError, or an Error with what else went wrong there */
  async ask(call: Call): Promise<Answer> {
    if (this.#closing) throw new StorageUnavailable('The console is stopping: the database is closed.');
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

import type { Capability, Store } from '@weir/quota';

/** Ways to hurt the server. A driver's test supplies those it can; each one supplied adds its tests. */
export interface Faults {
  /** Runs `write` so that it reaches the server and its reply is lost; the connection works again afterwards. */
  loseReply?(write: () => Promise<unknown>): Promise<void>;
  /** Runs `during` while the server accepts bytes and answers nothing; answers flow again afterwards. */
  stall?(during: () => Promise<unknown>): Promise<void>;
  /** Runs `during` while packets vanish without a reset; the path works again afterwards. */
  halfOpen?(during: () => Promise<unknown>): Promise<void>;
  /** Kills the server and starts it again on the same address; its data may be gone. */
  restart?(): Promise<void>;
  /** Removes every entry. */
  flush?(): Promise<void>;
  /** Makes the server forget loaded scripts. */
  forgetScripts?(): Promise<void>;
  /** Runs `during` while the server refuses writes (a replica after a failover, a full server). */
  refuseWrites?(during: () => Promise<unknown>): Promise<void>;
}

/** One server (or one memory) with its stores, made for one test and closed after it. */
export interface Harness {
  /** A further store on the same data, over a connection of its own. */
  open(): Promise<Store>;
  /** The deadline that the server itself holds, in epoch ms; `undated`, or `absent`. Not through the store under test. */
  deadlineOf(key: string): Promise<number | 'undated' | 'absent'>;
  /** Puts a counter without a deadline there, as other programs do; absent where the server cannot hold one. */
  plantUndated?(key: string, total: number): Promise<void>;
  /** The server's time in ms; default `Date.now()`. */
  now?(): number;
  /** Lets this much time pass for the server; default waits. */
  pass?(ms: number): Promise<void>;
  readonly faults?: Faults;
  close(): Promise<void>;
}

/** What a driver declares about itself, and how to set it up. */
export interface SuiteOptions {
  /** A harness with nothing left of earlier tests that matters: the suite uses fresh keys in every test. */
  create(): Promise<Harness>;
  readonly capability: Capability;
  /** `profile.atomicGroups`; default true. */
  readonly atomicGroups?: boolean;
  /** How coarse the server's deadlines are, in ms; default 0 (memcached: 1000). */
  readonly deadlineSlackMs?: number;
  /** Longest time that the store may need to work again after a fault, in ms; default 10,000. */
  readonly recoveryMs?: number;
  /** Takes per engine in the contention test; default 200. */
  readonly contention?: number;
}

/** One guarantee and its check. */
export interface Case {
  readonly guarantee: string;
  readonly check: (bench: Bench) => Promise<void>;
}

/** One test's harness with the defaults filled in, and fresh keys. */
export interface Bench {
  readonly harness: Harness;
  readonly store: Store;
  readonly slackMs: number;
  readonly recoveryMs: number;
  readonly contention: number;
  readonly now: () => number;
  readonly pass: (ms: number) => Promise<void>;
  /** A further store on the same data; closed with the bench. */
  readonly open: () => Promise<Store>;
  /** A key that no other test uses. */
  readonly key: (label: string) => string;
}

let made = 0;

/** Sets up one test and closes it whatever happens. */
export async function withBench(options: SuiteOptions, check: (bench: Bench) => Promise<void>): Promise<void> {
  const harness = await options.create();
  made += 1;
  const name = `${Date.now().toString(36)}-${made.toString(36)}`;
  const opened: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await harness.open();
    opened.push(store);
    return store;
  };
  try {
    await check({
      harness,
      store: await open(),
      slackMs: options.deadlineSlackMs ?? 0,
      recoveryMs: options.recoveryMs ?? 10_000,
      contention: options.contention ?? 200,
      now: () => harness.now?.() ?? Date.now(),
      pass: (ms) => harness.pass?.(ms) ?? wait(ms),
      open,
      key: (label) => `wq1:suite:{${name}-${label}}:2026-11-30`,
    });
  } finally {
    for (const store of opened) await store.close();
    await harness.close();
  }
}

/** The stores in turn. */
export function pick(stores: readonly Store[], index: number): Store {
  const store = stores[index % stores.length];
  if (store === undefined) throw new Error('no store to pick from');
  return store;
}

/** Real time passes; for servers that cannot be told what time it is. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Calls until it succeeds, at most for `withinMs`; the last failure is thrown. */
export async function eventually<T>(withinMs: number, call: () => Promise<T>): Promise<T> {
  const untilMs = Date.now() + withinMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (Date.now() > untilMs) throw error;
      await wait(50);
    }
  }
}

import type { Timers } from '@weir/quota';
import { parseAddress } from '../../src/addresses.ts';
import { Connection, type ConnectionEvent } from '../../src/connection.ts';
import type { OpenWire, WireHandlers } from '../../src/sockets.ts';

/** One socket of a script: what was written to it, and a way to act as its server. */
export interface ScriptedSocket {
  readonly server: WireHandlers;
  readonly writes: string[];
  destroyed: boolean;
  paused: boolean;
}

/** Time, timers, deferred work and sockets in the hands of a test. */
export class ScriptedWorld {
  nowMs = 0;
  random = 0.5;
  readonly sockets: ScriptedSocket[] = [];
  readonly #timers = new Set<{ readonly run: () => void; readonly atMs: number }>();
  #deferred: (() => void)[] = [];

  readonly openWire: OpenWire = (_, handlers) => {
    const socket: ScriptedSocket = { server: handlers, writes: [], destroyed: false, paused: false };
    this.sockets.push(socket);
    return {
      write: (text) => void socket.writes.push(text),
      pause: () => void (socket.paused = true),
      resume: () => void (socket.paused = false),
      destroy: () => void (socket.destroyed = true),
    };
  };

  readonly timers: Timers = {
    set: (run, ms) => {
      const timer = { run, atMs: this.nowMs + ms };
      this.#timers.add(timer);
      return { cancel: () => void this.#timers.delete(timer) };
    },
  };

  readonly now = (): number => this.nowMs;

  readonly defer = (run: () => void): void => void this.#deferred.push(run);

  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** The socket that was opened last. */
  get socket(): ScriptedSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error('no socket was opened');
    return socket;
  }

  /** Runs what was put off to the end of the tick. */
  tick(): void {
    const deferred = this.#deferred;
    this.#deferred = [];
    for (const run of deferred) run();
  }

  /** Lets time pass, fires the timers that are due and ends the tick. */
  pass(ms: number): void {
    this.fireTimers(ms);
    this.tick();
  }

  /** Lets time pass and fires the timers that are due, and nothing else yet. */
  fireTimers(ms: number): void {
    this.nowMs += ms;
    for (const timer of this.#timers) {
      if (timer.atMs > this.nowMs) continue;
      this.#timers.delete(timer);
      timer.run();
    }
  }
}

/** A connection whose socket is scripted. */
export function scriptedConnection(
  world: ScriptedWorld,
  limits = { callTimeoutMs: 1_000, maxInFlight: 1_000 },
): { connection: Connection; events: ConnectionEvent[] } {
  const events: ConnectionEvent[] = [];
  const connection = new Connection(
    parseAddress('cache:11211'),
    limits,
    {
      openWire: world.openWire,
      now: world.now,
      timers: world.timers,
      random: () => world.random,
      defer: world.defer,
    },
    (event) => events.push(event),
  );
  return { connection, events };
}

/** Settles to the value or the error, so that a failure can be looked at later without being unhandled. */
export function outcome<T>(promise: Promise<T>): Promise<T | Error> {
  return promise.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
}

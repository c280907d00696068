/*
 * How the consoles of a group know of each other: each says every 5 s that it is there, on a list that they share, and says
 * when it ends. Nobody decides anything by it; it is for people. One that fell silent without a word is missing after 15 s, and
 * stays on the list for a day.
 */
import type { Clock, Timer } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { ConsoleSelf, HeardConsole, Roster, RosterLook, RosterStore } from '../ports/roster.ts';
import { BEAT_AGAIN_MS, BEAT_MS, MISSING_AFTER_MS } from './presence-times.ts';

/** What a presence works with. */
export interface PresenceOptions {
  readonly self: ConsoleSelf;
  readonly store: RosterStore;
  /** Host and port of the server that keeps the list. */
  readonly place: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Rejects when the database does not answer. */
  readonly askDatabase: () => Promise<unknown>;
  /** What keeps this console from leading. */
  readonly differs: () => HeardConsole['differs'];
}

/** One console's place on the list of its group. */
export class Presence implements Roster {
  readonly #options: PresenceOptions;
  readonly #startedAtMs: number;
  #timer: Timer | undefined;
  #beating: Promise<void> = Promise.resolve();
  #stopped = false;
  /** Since when it could say that it is there, each time; null: it could not the last time. */
  #saidSinceMs: number | null = null;
  #refusal: string | null = null;
  #databaseAnswers = true;
  #asking = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock.steadyMs();
  }

  get self(): ConsoleSelf {
    return this.#options.self;
  }

  get place(): string {
    return this.#options.place;
  }

  /** Says for the first time that it is there, and then again and again. */
  start(): void {
    this.#beating = this.#beat();
  }

  /** Says that it ends. What Redis does not hear looks like a console that vanished. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#beating;
    await this.#options.store.remove(this.self.consoleId).catch((error: unknown) => {
      this.#options.log.debug({ error: String(error) }, 'the others could not be told that this console ends');
    });
  }

  async look(): Promise<RosterLook> {
    const { clock, store } = this.#options;
    const fromMs = clock.steadyMs();
    const judgesMissing = this.#saidSinceMs !== null && fromMs - this.#saidSinceMs >= MISSING_AFTER_MS;
    try {
      const listed = withoutReplaced(await store.list());
      const answeredInMs = Math.max(0, clock.steadyMs() - fromMs);
      const others = listed.filter(({ consoleId }) => consoleId !== this.self.consoleId);
      return { consoles: [this.#itself(), ...others], answeredInMs, problem: this.#refusal, judgesMissing };
    } catch (error) {
      return { consoles: [this.#itself()], answeredInMs: null, problem: messageOf(error), judgesMissing: false };
    }
  }

  #itself(): HeardConsole {
    return { ...this.self, uptimeMs: this.#uptimeMs(), silentMs: 0, databaseAnswers: true, differs: null };
  }

  #uptimeMs(): number {
    return Math.max(0, Math.round(this.#options.clock.steadyMs() - this.#startedAtMs));
  }

  async #beat(): Promise<void> {
    const { store, clock, log, differs } = this.#options;
    this.#lookAtDatabase();
    let nextMs = BEAT_MS;
    try {
      const said = { uptimeMs: this.#uptimeMs(), databaseAnswers: this.#databaseAnswers, differs: differs() };
      await store.put(this.self, said);
      this.#saidSinceMs ??= clock.steadyMs();
      this.#refusal = null;
    } catch (error) {
      const refusal = messageOf(error);
      if (this.#refusal !== refusal)
        log.warn({ error: refusal }, 'the others cannot be told that this console is there');
      this.#refusal = refusal;
      this.#saidSinceMs = null;
      nextMs = BEAT_AGAIN_MS;
    }
    if (this.#stopped) return;
    this.#timer = clock.after(nextMs, () => {
      this.#beating = this.#beat();
    });
  }

  /** Beside the beat, which does not wait for a database that hangs: one that has not answered by the next beat is away. */
  #lookAtDatabase(): void {
    if (this.#asking) {
      this.#databaseAnswers = false;
      return;
    }
    this.#asking = true;
    this.#options
      .askDatabase()
      .then(
        () => true,
        () => false,
      )
      .then((answers) => {
        this.#databaseAnswers = answers;
        this.#asking = false;
      })
      .catch(() => undefined);
  }
}

/** Without those that were last heard before another one was started at the same address. */
function withoutReplaced(consoles: readonly HeardConsole[]): HeardConsole[] {
  return consoles.filter(
    ({ consoleId, url, silentMs }) =>
      !consoles.some((other) => other.consoleId !== consoleId && other.url === url && sinceStart(other) < silentMs),
  );
}

function sinceStart({ uptimeMs, silentMs }: HeardConsole): number {
  return uptimeMs + silentMs;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

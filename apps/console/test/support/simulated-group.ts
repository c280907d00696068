import * as fc from 'fast-check';
import { Seat } from '../../src/leadership/seat.ts';
import type { Term } from '../../src/leadership/seat-options.ts';
import type { Clock, Timer } from '../../src/ports/clock.ts';
import type { Leader } from '../../src/ports/lease-store.ts';
import { NewerDatabase } from '../../src/ports/newer-database.ts';
import { FakeClock } from './fake-clock.ts';
import { SimulatedLease } from './simulated-lease.ts';
import { silentLogger } from './test-console.ts';

/** A clock of one process: it stands still for that process while it is stopped, and then everything that was due comes at once. */
class ProcessClock implements Clock {
  readonly #clock: FakeClock;
  readonly #late: (() => void)[] = [];
  stopped = false;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  steadyMs(): number {
    return this.#clock.steadyMs();
  }

  after(delayMs: number, run: () => void): Timer {
    let cancelled = false;
    const timer = this.#clock.after(delayMs, () => {
      if (this.stopped) this.#late.push(() => (cancelled ? undefined : run()));
      else run();
    });
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  }

  wake(): void {
    this.stopped = false;
    for (const run of this.#late.splice(0)) run();
  }
}

class CountedTerm implements Term {
  ended: 'abandoned' | 'finished' | null = null;

  async abandon(): Promise<void> {
    this.ended ??= 'abandoned';
  }

  async finish(): Promise<void> {
    this.ended ??= 'finished';
  }
}

type Self = Omit<Leader, 'fence'>;

/** Consoles on one lease and one database, on a simulated clock. */
export class World {
  readonly clock = new FakeClock();
  readonly lease = new SimulatedLease(() => this.clock.steadyMs());
  readonly members: Member[] = [];
  readonly random: () => number;
  fence = 0;
  /** Version of the database. */
  schema = 6;
  ids = 0;

  constructor(seed: number) {
    let state = seed;
    this.random = () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state / 2_147_483_648;
    };
  }

  /** @param differs how the new console differs from the others */
  add(differs: Partial<Self> = {}): Member {
    const member = new Member(this, this.members.length, differs);
    this.members.push(member);
    member.seat.start();
    return member;
  }

  leaders(): Member[] {
    return this.members.filter(({ seat }) => seat.serving !== null);
  }

  /** Lets time pass in small steps, and looks in each of them that at most one console leads, on a database that it knows. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      await this.clock.advance(50);
      const leaders = this.leaders();
      if (leaders.length > 1) {
        const names = leaders.map(({ index, seat }) => `${index} (term ${seat.fence})`);
        throw new Error(`at ${this.clock.steadyMs()}: ${names.join(' and ')} lead`);
      }
      const [leader] = leaders;
      if ((leader?.differs.schema ?? this.schema) < this.schema) {
        throw new Error(`at ${this.clock.steadyMs()}: ${leader?.index} leads on a database that is newer`);
      }
    }
  }
}

class Member {
  readonly index: number;
  readonly differs: Partial<Self>;
  readonly clock: ProcessClock;
  readonly seat: Seat<CountedTerm>;
  readonly terms: CountedTerm[] = [];
  readonly warnings: string[] = [];
  readonly errors: string[] = [];
  /** How long a message takes, in ms; null: it is lost after a second. */
  delayMs: number | null = 5;
  databaseAway = false;
  unfit = false;

  constructor(world: World, index: number, differs: Partial<Self> = {}) {
    this.index = index;
    this.differs = differs;
    const self = { url: `http://${index}`, version: '1', secrets: 's', database: 'd', schema: 6, ...differs };
    this.clock = new ProcessClock(world.clock);
    const network = (): Promise<void> =>
      new Promise((resolve, reject) => {
        if (this.delayMs === null) this.clock.after(1_000, () => reject(new Error('lost')));
        else this.clock.after(this.delayMs, resolve);
      });
    this.seat = new Seat({
      lease: world.lease.seenBy(network),
      clock: this.clock,
      chance: world.random,
      newId: () => `term-${(world.ids += 1)}`,
      log: {
        ...silentLogger,
        warn: (fields: object, message: string) => void this.warnings.push(`${message} ${JSON.stringify(fields)}`),
        error: (_: object, message: string) => void this.errors.push(message),
      },
      self,
      nextFence: async () => {
        if (this.databaseAway) throw new Error('away');
        const schema = self.schema ?? world.schema;
        if (world.schema > schema) throw new NewerDatabase('db', world.schema, schema);
        world.schema = schema;
        return (world.fence += 1);
      },
      openTerm: async () => {
        await new Promise<void>((resolve) => void this.clock.after(100, resolve));
        if (this.unfit) throw new TypeError('other secrets');
        const term = new CountedTerm();
        this.terms.push(term);
        return term;
      },
      mayTryAgain: (error) => !(error instanceof TypeError || error instanceof NewerDatabase),
    });
  }
}

/** Something that happens to one console, or to what all share, for a time. */
export const trouble = fc.record({
  what: fc.constantFrom('stop', 'cut off', 'slow', 'redis away', 'redis empty', 'end', 'database away'),
  who: fc.nat(2),
  forMs: fc.integer({ min: 100, max: 8_000 }),
  thenMs: fc.integer({ min: 100, max: 6_000 }),
});
type Trouble = typeof trouble extends fc.Arbitrary<infer T> ? T : never;

/** Lets it happen, and pass. */
export async function suffer(world: World, { what, who, forMs, thenMs }: Trouble): Promise<void> {
  const member = world.members[who];
  if (member === undefined) return;
  if (what === 'stop') member.clock.stopped = true;
  if (what === 'cut off') member.delayMs = null;
  if (what === 'slow') member.delayMs = 400;
  if (what === 'redis away') world.lease.away = true;
  if (what === 'redis empty') world.lease.lose();
  if (what === 'database away') member.databaseAway = true;
  if (what === 'end') {
    void member.seat.stop();
    world.members[who] = new Member(world, who, member.differs);
    world.members[who].seat.start();
  }
  await world.pass(forMs);
  member.delayMs = 5;
  member.databaseAway = false;
  world.lease.away = false;
  if (member.clock.stopped) member.clock.wake();
  await world.pass(thenMs);
}

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Seat } from '../../src/leadership/seat.ts';
import type { Term } from '../../src/leadership/seat-options.ts';
import type { Clock, Timer } from '../../src/ports/clock.ts';
import type { Leader } from '../../src/ports/lease-store.ts';
import { NewerDatabase } from '../../src/ports/newer-database.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';
import { SimulatedLease } from '../support/simulated-lease.ts';
import { silentLogger } from '../support/test-console.ts';

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
class World {
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

  /** Lets time pass in small steps, and looks in each of them that at most one console leads. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      await this.clock.advance(50);
      const leaders = this.leaders();
      if (leaders.length > 1) {
        const names = leaders.map(({ index, seat }) => `${index} (term ${seat.fence})`);
        throw new Error(`at ${this.clock.steadyMs()}: ${names.join(' and ')} lead`);
      }
    }
  }
}

class Member {
  readonly index: number;
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

const trouble = fc.record({
  what: fc.constantFrom('stop', 'cut off', 'slow', 'redis away', 'redis empty', 'end', 'database away'),
  who: fc.nat(2),
  forMs: fc.integer({ min: 100, max: 8_000 }),
  thenMs: fc.integer({ min: 100, max: 6_000 }),
});
type Trouble = typeof trouble extends fc.Arbitrary<infer T> ? T : never;

async function suffer(world: World, { what, who, forMs, thenMs }: Trouble): Promise<void> {
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
    world.members[who] = new Member(world, who);
    world.members[who].seat.start();
  }
  await world.pass(forMs);
  member.delayMs = 5;
  member.databaseAway = false;
  world.lease.away = false;
  if (member.clock.stopped) member.clock.wake();
  await world.pass(thenMs);
}

test('at most one console leads at any moment, whatever is stopped, cut off, slow, away or lost, and one does again afterwards', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.array(trouble, { maxLength: 8 }),
      async (seed, troubles) => {
        const world = new World(seed);
        for (let n = 0; n < 3; n += 1) world.add();
        await world.pass(1_000);
        for (const each of troubles) await suffer(world, each);
        await world.pass(9_000);
        expect(world.leaders()).toHaveLength(1);
        const running = world.members.flatMap(({ terms }) => terms).filter(({ ended }) => ended === null);
        expect(running).toHaveLength(1);
      },
    ),
    { numRuns: 40 },
  );
}, 120_000);

test('a killed leader is followed within its lease and a look', async () => {
  const world = new World(1);
  const first = world.add();
  await world.pass(3_000);
  const second = world.add();
  await world.pass(2_000);
  expect(first.seat.serving).not.toBeNull();
  first.clock.stopped = true;
  await world.pass(3_900);
  expect(second.seat.serving).not.toBeNull();
  expect(second.seat.fence).toBe(2);
});

test('a leader that stops is followed at the next look, and its term is finished, not abandoned', async () => {
  const world = new World(2);
  const first = world.add();
  await world.pass(3_000);
  const second = world.add();
  await world.pass(2_000);
  const stopping = first.seat.stop();
  await world.pass(850);
  await stopping;
  expect(second.seat.serving).not.toBeNull();
  expect(first.terms.map(({ ended }) => ended)).toEqual(['finished']);
});

test('a leader that wakes up from a long stop does not serve, before any timer of its runs', async () => {
  const world = new World(3);
  const only = world.add();
  await world.pass(3_000);
  expect(only.seat.serving).not.toBeNull();
  only.clock.stopped = true;
  await world.clock.advance(2_400);
  expect(only.seat.serving).toBeNull();
  only.clock.wake();
  await settled();
  expect(only.seat.serving).toBeNull();
  expect(only.terms[0]?.ended).toBe('abandoned');
});

test('a lease that Redis lost in a moment costs the leader nothing', async () => {
  const world = new World(4);
  const first = world.add();
  await world.pass(3_000);
  const standby = world.add();
  await world.pass(1_000);
  world.lease.lose();
  for (let passed = 0; passed < 6_000; passed += 50) {
    await world.pass(50);
    // What it passes on is not refused for that moment, and long polls go on.
    expect(standby.seat.leader?.url).toBe('http://0');
  }
  expect(first.seat.fence).toBe(1);
  expect(first.seat.serving).not.toBeNull();
});

test('while the database is away the lease is kept and tried; a console that cannot lead leaves it to the others', async () => {
  const world = new World(5);
  const first = world.add();
  first.databaseAway = true;
  await world.pass(8_000);
  expect(first.seat.serving).toBeNull();
  expect(first.seat.fence).toBeNull();
  first.databaseAway = false;
  await world.pass(1_000);
  expect(first.seat.serving).not.toBeNull();

  const other = new World(6);
  const unfit = other.add();
  unfit.unfit = true;
  await other.pass(3_000);
  const fit = other.add();
  await other.pass(4_000);
  expect(fit.seat.serving).not.toBeNull();
  expect(unfit.seat.serving).toBeNull();
  expect(unfit.seat.leader?.url).toBe('http://1');
});

test('a lease that Redis refuses to give or renew is told to leader and standby with the reason, once until it goes well again', async () => {
  const world = new World(7);
  world.add();
  await world.pass(3_000);
  world.add();
  await world.pass(1_000);
  const told = (): number[] =>
    world.members.map(({ warnings }) => warnings.filter((each) => /could not be asked for.*away/.test(each)).length);
  expect(told()).toEqual([0, 0]);
  for (const times of [1, 2]) {
    world.lease.away = true;
    await world.pass(8_000);
    expect(told()).toEqual([times, times]);
    world.lease.away = false;
    await world.pass(8_000);
  }
  expect(world.leaders()).toHaveLength(1);
});

test('a newer standby leaves the database to the older leader, and brings it forward when it leads; the older one does not lead again', async () => {
  const world = new World(8);
  const old = world.add();
  await world.pass(3_000);
  const older = world.add();
  const newer = world.add({ version: '2', schema: 7 });
  await world.pass(2_000);
  expect([world.schema, old.seat.fence]).toEqual([6, 1]);
  void old.seat.stop();
  older.clock.stopped = true;
  await world.pass(2_000);
  older.clock.wake();
  expect(newer.seat.serving).not.toBeNull();
  expect(world.schema).toBe(7);
  await world.pass(1_000);
  // It is told of by the lease, before it tries to lead; it passes on as before.
  expect(older.errors).toEqual([
    expect.stringMatching(/version 7, .*\(1\) knows versions up to 6.*Upgrade this console/),
  ]);
  expect(older.seat.leader?.url).toBe('http://2');
  const [fence, terms] = [world.fence, older.terms.length];
  void newer.seat.stop();
  await world.pass(20_000);
  expect([older.seat.serving, world.fence, older.terms.length]).toEqual([null, fence, terms]);
  expect(older.errors).toHaveLength(1);
  const next = world.add({ version: '2', schema: 7 });
  await world.pass(4_000);
  expect(next.seat.serving).not.toBeNull();
});

test('an older console that finds the database newer when it takes over writes nothing, says so once, and lets a newer one lead', async () => {
  const world = new World(9);
  const older = world.add();
  older.databaseAway = true;
  await world.pass(3_000);
  world.schema = 7;
  older.databaseAway = false;
  await world.pass(10_000);
  expect([world.fence, older.terms.length]).toEqual([0, 0]);
  expect(older.errors).toEqual([expect.stringContaining('Upgrade this console')]);
  const newer = world.add({ schema: 7 });
  await world.pass(4_000);
  expect(newer.seat.serving).not.toBeNull();
  expect(older.seat.leader?.url).toBe('http://1');
  expect(older.errors).toHaveLength(1);
});

test('a console whose database or secrets are not those of the leader never follows it, until one leads that it fits', async () => {
  const world = new World(10);
  const first = world.add();
  await world.pass(3_000);
  const strangers = [world.add({ database: 'another' }), world.add({ secrets: 'others' })];
  await world.pass(1_000);
  expect(strangers.map(({ seat }) => seat.difference?.kind)).toEqual(['database', 'secrets']);
  expect(strangers[0]?.errors[0]).toMatch(/has the database another, .*\(http:\/\/0\) has d: .*--storage-url/);
  expect(strangers[1]?.errors[0]).toContain('Copy secrets.json and manifest-key.pem');
  void first.seat.stop();
  await world.pass(20_000);
  expect(world.leaders()).toEqual([]);
  expect(strangers.flatMap(({ terms, errors }) => [terms.length, errors.length])).toEqual([0, 1, 0, 1]);
  const fits = world.add({ database: 'another' });
  await world.pass(4_000);
  expect(world.leaders()).toEqual([fits]);
  void fits.seat.stop();
  await world.pass(4_000);
  expect(world.leaders()).toEqual([strangers[0]]);
});

test('a leader of a version that tells neither its database nor its version is followed', async () => {
  const world = new World(11);
  const first = world.add({ database: null, schema: null });
  await world.pass(3_000);
  const second = world.add();
  await world.pass(1_000);
  expect(second.seat.difference).toBeNull();
  void first.seat.stop();
  await world.pass(2_000);
  expect(world.leaders()).toEqual([second]);
});

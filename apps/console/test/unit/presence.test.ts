import { expect, test } from 'vitest';
import { listConsoles } from '../../src/actions/list-consoles.ts';
import { recordTakeover } from '../../src/actions/record-takeover.ts';
import { Presence } from '../../src/presence/presence.ts';
import type { HeardConsole } from '../../src/ports/roster.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';
import { SimulatedRoster } from '../support/simulated-roster.ts';
import { silentLogger, TestConsole } from '../support/test-console.ts';

/** Consoles of one group on a simulated clock. */
class World {
  readonly clock = new FakeClock();
  readonly roster = new SimulatedRoster(() => this.clock.steadyMs());
  readonly databases = new Map<string, () => Promise<unknown>>();
  differs: HeardConsole['differs'] = null;
  #started = 0;

  start(name: string, url = `http://${name}:8180`): Presence {
    this.#started += 1;
    const presence = new Presence({
      self: { consoleId: `con_${this.#started}`, url, host: name, version: '1' },
      store: this.roster,
      place: 'redis:6379',
      clock: this.clock,
      log: silentLogger,
      askDatabase: async () => this.databases.get(name)?.(),
      differs: () => (name === 'c' ? this.differs : null),
    });
    presence.start();
    return presence;
  }

  /** What the pages show when `leader` leads. */
  async view(
    leader: Presence,
  ): Promise<{ text: string; judgesMissing: boolean | undefined; problem: string | null | undefined }> {
    const console = await TestConsole.start({ clock: this.clock });
    const { consoles, group } = await listConsoles(console.context, {
      database: { kind: 'postgresql', place: 'db:5432/weir' },
      self: () => leader.self,
      startedAtSteadyMs: 0,
      group: { roster: leader, fence: () => 3 },
    });
    await console.stop();
    const text = consoles
      .map(({ host, seat, state, problems }) => [host, state === 'here' ? seat : state, ...problems].join(' '))
      .join(', ');
    return { text, judgesMissing: group?.judgesMissing, problem: group?.redis.problem };
  }
}

test('a console that vanishes is missing after 15 s; one that says that it ends is gone at once', async () => {
  const world = new World();
  const [a, b, c] = [world.start('a'), world.start('b'), world.start('c')];
  await world.clock.advance(20_000);
  expect(await world.view(a)).toEqual({ text: 'a leader, b standby, c standby', judgesMissing: true, problem: null });
  await c.stop();
  expect((await world.view(a)).text).toBe('a leader, b standby');
  world.roster.cutOff(b.self.consoleId);
  await world.clock.advance(9_000);
  expect((await world.view(a)).text).toBe('a leader, b standby');
  await world.clock.advance(11_000);
  expect((await world.view(a)).text).toBe('a leader, b missing');
});

test('a console that was started anew at its address takes the place of the one that vanished', async () => {
  const world = new World();
  const [a, b] = [world.start('a'), world.start('b')];
  await world.clock.advance(20_000);
  world.roster.cutOff(b.self.consoleId);
  await world.clock.advance(2_000);
  world.start('b');
  await settled();
  expect((await world.view(a)).text).toBe('a leader, b standby');
  await world.clock.advance(60_000);
  expect((await world.view(a)).text).toBe('a leader, b standby');
});

test('two consoles that advertise one address are both told of', async () => {
  const world = new World();
  const a = world.start('a');
  world.start('b', 'http://shared:8180');
  world.start('c', 'http://shared:8180');
  await world.clock.advance(20_000);
  expect((await world.view(a)).text).toBe('a leader, b standby same-address, c standby same-address');
});

test('after a time without Redis nobody is called missing before everybody could speak', async () => {
  const world = new World();
  const a = world.start('a');
  world.start('b');
  await world.clock.advance(20_000);
  world.roster.refusal = 'LOADING';
  await world.clock.advance(60_000);
  expect(await world.view(a)).toEqual({ text: 'a leader', judgesMissing: false, problem: 'LOADING' });
  world.roster.refusal = null;
  expect(await world.view(a)).toMatchObject({ text: 'a leader, b standby', judgesMissing: false });
  await world.clock.advance(20_000);
  expect(await world.view(a)).toEqual({ text: 'a leader, b standby', judgesMissing: true, problem: null });
});

test('a Redis that only refuses to write is told of, and makes nobody missing', async () => {
  const world = new World();
  const a = world.start('a');
  world.start('b');
  await world.clock.advance(20_000);
  world.roster.full = true;
  await world.clock.advance(60_000);
  expect(await world.view(a)).toEqual({ text: 'a leader, b standby', judgesMissing: false, problem: 'OOM' });
});

test('a standby that cannot take over says so: its database refuses or hangs, or it differs from the leader', async () => {
  const world = new World();
  const a = world.start('a');
  world.start('b');
  world.start('c');
  world.databases.set('b', () => Promise.reject(new Error('refused')));
  world.differs = 'version';
  await world.clock.advance(20_000);
  expect((await world.view(a)).text).toBe('a leader, b standby database-away, c standby older-version');
  world.databases.set('b', async () => undefined);
  world.databases.set('c', () => new Promise(() => undefined));
  world.differs = null;
  await world.clock.advance(20_000);
  expect((await world.view(a)).text).toBe('a leader, b standby, c standby database-away');
});

test('who took the lead is kept for the audit log, and told of for a day', async () => {
  const world = new World();
  const console = await TestConsole.start({ clock: world.clock });
  const { context } = console;
  const took = async (host: string, fence: number): Promise<void> => {
    await recordTakeover(context, { url: `http://${host}:8180`, host, version: '1', fence });
  };
  await took('a', 1);
  world.clock.jumpWall(20 * 3_600_000);
  await took('b', 2);
  await took('a', 3);
  const nowMs = world.clock.nowMs();
  expect(context.leads.beganAtMs(3)).toBe(nowMs);
  expect(context.leads.lastDay(nowMs)).toMatchObject({
    takeoversInDay: 3,
    takeovers: [{ fence: 3, host: 'a' }, { fence: 2, host: 'b', url: 'http://b:8180', atMs: nowMs }, { fence: 1 }],
  });
  expect(context.leads.lastDay(nowMs + 5 * 3_600_000).takeovers.map(({ fence }) => fence)).toEqual([3, 2]);
  const [newest] = await context.storage.audit.list({ action: 'console', limit: 1 });
  expect(newest).toMatchObject({ actor: 'console', action: 'console.lead', subject: 'http://a:8180', address: null });
  await console.stop();
});

test('a console that is alone is its own leader', async () => {
  const console = await TestConsole.start();
  const self = { consoleId: 'alone', url: 'http://here:8180', host: 'here', version: '1' };
  const startedAtSteadyMs = console.clock.steadyMs();
  await console.clock.advance(90_000);
  const database = { kind: 'sqlite', place: '/data/weir.db' } as const;
  const view = await listConsoles(console.context, { database, self: () => self, startedAtSteadyMs });
  const nowMs = console.clock.nowMs();
  const alone = { ...self, seat: 'leader', state: 'here', startedAtMs: nowMs - 90_000, heardAtMs: nowMs, problems: [] };
  expect(view).toEqual({ database: { ...database, answeredInMs: 0 }, consoles: [alone], group: null });
  await console.stop();
});

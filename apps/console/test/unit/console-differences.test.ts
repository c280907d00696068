import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { suffer, trouble, World } from '../support/simulated-group.ts';

test('whatever happens while two versions run side by side, an older console leads at no moment on a newer database, and a newer one leads in the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.array(trouble, { maxLength: 6 }),
      async (seed, troubles) => {
        const world = new World(seed);
        const versions = [6, 6, 7];
        for (const schema of versions) world.add({ schema });
        await world.pass(1_000);
        for (const each of troubles) await suffer(world, each);
        // Those of the version before end, as in an upgrade.
        for (const member of world.members.filter(({ differs }) => differs.schema === 6)) void member.seat.stop();
        await world.pass(9_000);
        expect(world.leaders().map(({ differs }) => differs.schema)).toEqual([7]);
        expect(world.schema).toBe(7);
      },
    ),
    { numRuns: 25 },
  );
}, 120_000);

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

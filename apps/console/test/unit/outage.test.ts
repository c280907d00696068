import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectionFailure } from '../../src/storage/postgres/connection-failure.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { OneAtATime } from '../../src/storage/sql/one-at-a-time.ts';
import { Outage } from '../../src/storage/postgres/outage.ts';
import { fromStorable, toStorable } from '../../src/storage/postgres/storable-text.ts';
import { compareKeys } from '../../src/queue/byte-order.ts';
import { isStorageUrl } from '../../src/config/storage-url.ts';
import { parseConsoleOptions } from '../../src/config/console-options.ts';

test('while the database is away one call in half a second is let through, and all once it answered', () => {
  const told: (string | null)[] = [];
  const outage = new Outage((reason) => told.push(reason));
  expect([outage.admits(0), outage.admits(0)]).toEqual([true, true]);
  outage.failed('ECONNREFUSED', 1_000);
  outage.failed('ECONNREFUSED', 1_000);
  expect([outage.admits(1_499), outage.admits(1_500), outage.admits(1_501)]).toEqual([false, true, false]);
  outage.failed('ECONNREFUSED', 1_600);
  expect([outage.admits(2_099), outage.admits(2_100), outage.admits(2_100)]).toEqual([false, true, false]);
  outage.worked();
  expect([outage.admits(2_101), outage.admits(2_101)]).toEqual([true, true]);
  expect(told).toEqual(['ECONNREFUSED', null]);
});

test('a call that was let through and never told how it went does not keep the others away for ever', () => {
  const outage = new Outage(() => undefined);
  outage.failed('ETIMEDOUT', 0);
  expect(outage.admits(500)).toBe(true);
  expect([outage.admits(15_499), outage.admits(15_500)]).toEqual([false, true]);
});

test.each([
  ['ECONNREFUSED', true],
  ['57P01', true],
  ['53300', true],
  ['25006', true],
  ['28P01', true],
  ['57014', false],
  ['55P03', false],
])('%s is a failure of the connection', (code, away) => {
  expect(connectionFailure(Object.assign(new Error('x'), { code }))).toMatchObject({ away });
});

test.each(['23505', '42P01', '22P02'])('%s is an answer: the statement is wrong, not the connection', (code) => {
  expect(connectionFailure(Object.assign(new Error('x'), { code }))).toBeUndefined();
});

test('any text can be made storable and back; the order of its bytes stays', () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom('\u0000', '\u0001', '\u0002', 'a'), fc.string({ unit: 'binary', maxLength: 3 })))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(toStorable(a)).not.toContain('\u0000');
      expect(fromStorable(toStorable(a))).toBe(a);
      expect(Math.sign(compareKeys(toStorable(a), toStorable(b)))).toBe(Math.sign(compareKeys(a, b)));
    }),
  );
});

test('work runs one at a time, in the order in which it came, whatever becomes of the work before it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ turns: fc.nat(3), fails: fc.boolean() }), { maxLength: 20 }),
      async (given) => {
        const queue = new OneAtATime();
        const log: string[] = [];
        const ends = await Promise.allSettled(
          given.map(({ turns, fails }, n) =>
            queue.run(async () => {
              log.push(`begin ${n}`);
              for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
              log.push(`end ${n}`);
              if (fails) throw new Error('no');
            }),
          ),
        );
        expect(log).toEqual(given.flatMap((_, n) => [`begin ${n}`, `end ${n}`]));
        expect(ends.map((end) => end.status)).toEqual(given.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')));
      },
    ),
  );
});

test('an address of a storage needs a database that there can be, and is never repeated back', () => {
  const good = [
    'sqlite:',
    'postgres://u:p@h/db',
    'postgresql://h:5432/db?sslmode=verify-full',
    'postgres:///db?host=/run',
  ];
  const bad = ['sqlite:other.db', 'mysql://h/db', 'postgres://h', 'postgres://h/', 'weir.db', ''];
  expect(good.filter((url) => !isStorageUrl(url))).toEqual([]);
  expect(bad.filter((url) => isStorageUrl(url))).toEqual([]);
  const parsed = parseConsoleOptions({ dataDir: 'd', storageUrl: 'postgres://weir:hun/ter22@host' });
  expect(parsed.ok).toBe(false);
  expect(JSON.stringify(parsed)).not.toContain('ter22');
});

test('what is urgent passes what waits, in order, and not what has begun', async () => {
  const queue = new OneAtATime();
  const done: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    await Promise.resolve();
    done.push(name);
    if (name === 'fails') throw new Error(name);
  };
  const all = [
    queue.run(work('begun')),
    queue.run(work('fails')),
    queue.run(work('other')),
    queue.run(work('urgent 1'), true),
    queue.run(work('urgent 2'), true),
  ];
  await Promise.allSettled(all);
  await queue.run(work('later'));
  expect(done).toEqual(['begun', 'urgent 1', 'urgent 2', 'fails', 'other', 'later']);
});

test('whoever waits half a minute for a database that stands still is told, and the others go on in order', async () => {
  const clock = new FakeClock();
  const queue = new OneAtATime((delayMs, run) => clock.after(delayMs, run));
  const done: string[] = [];
  let release: (() => void) | undefined;
  const stands = queue.run(() => new Promise<void>((resolve) => (release = resolve)));
  const early = [false, true].map((urgent) => queue.run(async () => void done.push('early'), urgent));
  await clock.advance(20_000);
  const late = [1, 2].map((n) => queue.run(async () => void done.push(`late ${n}`)));
  const told = Promise.allSettled(early);
  await clock.advance(10_000);
  for (const end of await told) {
    expect(end).toMatchObject({ status: 'rejected', reason: { name: 'StorageUnavailable' } });
  }
  release?.();
  await Promise.all([stands, ...late]);
  expect(done).toEqual(['late 1', 'late 2']);
  expect(clock.waiting).toBe(0);
});

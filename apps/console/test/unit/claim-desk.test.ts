import { expect, test } from 'vitest';
import { ClaimDesk } from '../../src/fleet/claim-desk.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';

function desk(
  change: { load?: (agentId: string) => number; level?: (agentId: string) => number; maxWaiting?: number } = {},
) {
  const clock = new FakeClock();
  const queue: string[] = [];
  const returned: string[] = [];
  const errors: unknown[] = [];
  let broken = false;
  const claims = new ClaimDesk<string>({
    clock,
    take: async (agentId) => {
      if (broken) throw new Error('disk full');
      const { level } = change;
      if (level !== undefined && (queue[0] ?? '') > `needs ${level(agentId)}`) return null;
      return queue.shift() ?? null;
    },
    giveBack: async (taken) => void returned.push(taken),
    load: change.load ?? (() => 0),
    onError: (error) => errors.push(error),
    ...(change.level === undefined ? {} : { level: change.level }),
    ...(change.maxWaiting === undefined ? {} : { maxWaiting: change.maxWaiting }),
  });
  const never = new AbortController().signal;
  return { clock, queue, returned, errors, claims, never, breakDown: (now: boolean) => void (broken = now) };
}

test('a claim that waits is woken when work appears', async () => {
  const { queue, claims, never } = desk();
  const claim = claims.claim('a', 25_000, never);
  await settled();
  expect(claims.waiting).toBe(1);
  queue.push('shard');
  claims.workAppeared();
  expect(await claim).toBe('shard');
  expect(claims.waiting).toBe(0);
});

test('a claim waits no longer than it asked for', async () => {
  const { clock, claims, never } = desk();
  let answer: string | null | undefined;
  void claims.claim('a', 10_000, never).then((taken) => (answer = taken));
  await clock.advance(9_999);
  expect(answer).toBeUndefined();
  await clock.advance(1);
  expect(answer).toBeNull();
});

test('a claim without patience takes what is there, or nothing, at once', async () => {
  const { queue, claims, never } = desk();
  expect(await claims.claim('a', 0, never)).toBeNull();
  queue.push('shard');
  expect(await claims.claim('a', 0, never)).toBe('shard');
});

test('of agents that wait, the one that holds least is served first, then the one that came first', async () => {
  const held = new Map([['busy', 3]]);
  const { queue, claims, never } = desk({ load: (agentId) => held.get(agentId) ?? 0 });
  const order: string[] = [];
  for (const agent of ['busy', 'first', 'second'])
    void claims.claim(agent, 25_000, never).then(() => order.push(agent));
  await settled();
  queue.push('1', '2', '3');
  claims.workAppeared();
  await settled();
  expect(order).toEqual(['first', 'second', 'busy']);
});

test('work whose taker went away while it was taken goes back', async () => {
  const { queue, returned, claims } = desk();
  const gone = new AbortController();
  const claim = claims.claim('a', 25_000, gone.signal);
  queue.push('shard');
  claims.workAppeared();
  gone.abort();
  expect(await claim).toBeNull();
  await settled();
  expect([...returned, ...queue]).toEqual(['shard']);
});

test('closing answers everybody, and nobody waits afterwards', async () => {
  const { claims, never } = desk();
  const claim = claims.claim('a', 25_000, never);
  claims.close();
  expect(await claim).toBeNull();
  expect(await claims.claim('a', 25_000, never)).toBeNull();
  expect(claims.waiting).toBe(0);
});

test('an agent that is dismissed waits no longer', async () => {
  const { claims, never } = desk();
  const claim = claims.claim('a', 25_000, never);
  const other = claims.claim('b', 25_000, never);
  claims.dismiss('a');
  expect(await claim).toBeNull();
  expect(claims.waiting).toBe(1);
  claims.close();
  await other;
});

test('a queue that cannot be read keeps those who wait, says so, and is read again within a second', async () => {
  const { clock, queue, errors, claims, never, breakDown } = desk();
  breakDown(true);
  const patient = claims.claim('a', 25_000, never);
  expect(await claims.claim('b', 0, never)).toBeNull();
  expect(errors.length).toBeGreaterThan(0);
  queue.push('shard');
  breakDown(false);
  await clock.advance(1_000);
  expect(await patient).toBe('shard');
});

test('beyond the bound a claim is answered at once instead of waiting', async () => {
  const { claims, never } = desk({ maxWaiting: 1 });
  const first = claims.claim('a', 25_000, never);
  expect(await claims.claim('b', 25_000, never)).toBeNull();
  claims.close();
  await first;
});

test('work that an older agent cannot do goes to a newer one that waits behind it', async () => {
  const { queue, claims, never } = desk({ level: (agentId) => (agentId.startsWith('old') ? 1 : 2) });
  const waiting = ['old-1', 'old-2', 'new'].map((agentId) => claims.claim(agentId, 25_000, never));
  await settled();
  queue.push('needs 2');
  claims.workAppeared();
  expect(await waiting[2]).toBe('needs 2');
  expect(claims.waiting).toBe(2);
  queue.push('needs 1');
  claims.workAppeared();
  expect(await waiting[0]).toBe('needs 1');
  expect(claims.waiting).toBe(1);
  claims.close();
});

import { expect, test } from 'vitest';
import { GrantBook, watchGrants, type GrantEvent } from '../../src/grants.ts';

function granted(
  agent: string,
  atMs: number,
  windowNumber: number,
  creditBudget: number,
  untilMs = Infinity,
): GrantEvent {
  return { type: 'granted', agent, atMs, epoch: 'e', windowNumber, creditBudget, untilMs };
}

function ended(agent: string, atMs: number, windowNumber: number, chargedOps: number): GrantEvent {
  return { type: 'ended', agent, atMs, epoch: 'e', windowNumber, chargedOps };
}

function bookOf(...events: GrantEvent[]): GrantBook {
  const book = new GrantBook();
  for (const event of events) book.note(event);
  return book;
}

test('credits are live from their grant until the report of their window or the end of their time, whichever is first', () => {
  const reported = bookOf(granted('a', 0, 1, 60, 105), ended('a', 50, 1, 60), granted('b', 50, 1, 100));
  expect(reported.mostLive().credits).toBe(100);
  const silent = bookOf(granted('a', 0, 1, 60, 105), granted('b', 104, 1, 100));
  expect(silent.mostLive()).toMatchObject({ credits: 160, atMs: 104 });
  const late = bookOf(granted('a', 0, 1, 60, 105), granted('b', 105, 1, 100), ended('a', 200, 1, 60));
  expect(late.mostLive().credits).toBe(100);
});

test('an answer that comes twice is one grant, and a report that is sent again ends nothing later', () => {
  const book = bookOf(
    granted('a', 0, 1, 60, 105),
    granted('a', 40, 1, 60, 145),
    ended('a', 50, 1, 9),
    ended('a', 90, 1, 9),
  );
  expect(book.windows()).toMatchObject([{ grantedAtMs: 0, endedAtMs: 50, chargedOps: 9 }]);
});

test('it names windows that were overspent, and when an agent had credits again', () => {
  const book = bookOf(granted('a', 0, 1, 60), ended('a', 50, 1, 61), granted('a', 51, 2, 0), granted('a', 60, 3, 1));
  expect(book.overcharged()).toMatchObject([{ windowNumber: 1, chargedOps: 61 }]);
  expect(book.grantedAfterMs('a', 50)).toBe(60);
  expect(book.grantedAfterMs('a', 60)).toBe(Infinity);
});

test('the watch tells what a heartbeat reports and brings, and changes neither', async () => {
  const events: GrantEvent[] = [];
  let nowMs = 1_000;
  const answer = JSON.stringify({ grant: { epoch: 'e', windowNumber: 2, creditBudget: 30, validSeconds: 2 } });
  const watched = watchGrants(
    async (_url: string, _init: { body?: string }) => {
      nowMs = 1_300;
      return { status: 200, text: async () => answer };
    },
    'a',
    () => nowMs,
    (event) => events.push(event),
  );
  const body = JSON.stringify({ usage: { epoch: 'e', windowNumber: 1, chargedOps: 7 } });
  const received = await watched('http://console/api/v1/agent/heartbeat', { body });
  expect(await received.text()).toBe(answer);
  await watched('http://console/api/v1/agent/shards/s/progress', { body });
  expect(events).toEqual([
    { type: 'ended', agent: 'a', atMs: 1_000, epoch: 'e', windowNumber: 1, chargedOps: 7 },
    { type: 'granted', agent: 'a', atMs: 1_300, epoch: 'e', windowNumber: 2, creditBudget: 30, untilMs: 3_000 },
  ]);
});

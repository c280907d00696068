import { describe, expect, test } from 'vitest';
import { progressRequest, progressSpoken, routes, type WrittenProgress } from '../../src/index.ts';
import { RECORDED, VERSION_1 } from '../fixtures/version-1.ts';

const calls = RECORDED.map((call, n) => ({ ...call, title: `${n}: ${call.route}` }));

describe('version 1, as it was recorded', () => {
  test.each(calls)('what its agent said is understood by a console of today: $title', ({ route, request }) => {
    expect(routes[route].body?.safeParse(request)).toMatchObject({ success: true });
  });

  test.each(calls)('what its console answered is understood by an agent of today: $title', ({ route, answer }) => {
    expect(routes[route].response.safeParse(answer)).toMatchObject({ success: true });
  });

  test('its own schemas accept what was said, and refuse fields that came later', () => {
    for (const { route, request, answer } of RECORDED) {
      expect(VERSION_1[route].request.safeParse(request).success).toBe(true);
      expect(VERSION_1[route].answer.safeParse(answer).success).toBe(true);
      expect(VERSION_1[route].request.safeParse({ ...request, later: 1 }).success).toBe(false);
    }
  });
});

const report = RECORDED.findLast(({ route }) => route === 'progress')?.request ?? {};
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema makes every field of a report of today
const today = progressRequest.parse(report) as WrittenProgress;

test('a report of today is understood by a console of version 1 once it is put in its words, and loses nothing else', () => {
  const spoken = progressSpoken(today, 1);
  expect(VERSION_1.progress.request.safeParse(today).success).toBe(false);
  expect(VERSION_1.progress.request.safeParse(spoken)).toMatchObject({ success: true });
  expect(Object.keys(spoken).toSorted()).toEqual(VERSION_1.progress.fields.toSorted());
  expect(progressSpoken(today, 2)).toEqual(today);
});

test('every field of a report that version 1 does not know is left out for it', () => {
  const known = Object.keys(progressRequest.shape).filter((field) => field in progressSpoken(today, 1));
  expect(known.toSorted()).toEqual(VERSION_1.progress.fields.toSorted());
});

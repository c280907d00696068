import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rateLimitHeaders } from '../../src/rate-limit-headers.ts';
import type { PolicyState } from '../../src/rate-limit-headers.ts';

const burst: PolicyState = {
  name: 'burst',
  limit: 100,
  remaining: 50,
  windowSeconds: 60,
  resetSeconds: 30,
  refused: false,
};
const daily: PolicyState = {
  name: 'daily',
  limit: 1_000,
  remaining: 20,
  windowSeconds: 86_400,
  resetSeconds: 36_000,
  refused: false,
};

test('by default one quota reads as in the newest draft', () => {
  expect(rateLimitHeaders([burst])).toEqual({
    'RateLimit-Policy': '"burst";q=100;w=60',
    RateLimit: '"burst";r=50;t=30',
  });
});

test('several quotas are items of the same two lists', () => {
  expect(rateLimitHeaders([burst, daily])).toEqual({
    'RateLimit-Policy': '"burst";q=100;w=60, "daily";q=1000;w=86400',
    RateLimit: '"burst";r=50;t=30, "daily";r=20;t=36000',
  });
  expect(rateLimitHeaders([burst, daily], 'draft-08')).toEqual(rateLimitHeaders([burst, daily], 'draft-11'));
});

test('unit and partition key are told when there are some', () => {
  expect(rateLimitHeaders([{ ...burst, unit: 'content-bytes', partition: 'App-999' }])).toEqual({
    'RateLimit-Policy': '"burst";q=100;qu="content-bytes";w=60;pk=:QXBwLTk5OQ==:',
    RateLimit: '"burst";r=50;t=30;pk=:QXBwLTk5OQ==:',
  });
  expect(rateLimitHeaders([{ ...burst, unit: 'requests' }])).toEqual(rateLimitHeaders([burst]));
});

test('draft 07 tells the quota closest to its limit in one dictionary', () => {
  expect(rateLimitHeaders([burst, daily], 'draft-07')).toEqual({
    'RateLimit-Policy': '100;w=60, 1000;w=86400',
    RateLimit: 'limit=1000, remaining=20, reset=36000',
  });
});

test('draft 06 tells it in a header each', () => {
  expect(rateLimitHeaders([burst, daily], 'draft-06')).toEqual({
    'RateLimit-Policy': '100;w=60, 1000;w=86400',
    'RateLimit-Limit': '1000',
    'RateLimit-Remaining': '20',
    'RateLimit-Reset': '36000',
  });
});

test('what refused is told before what has less left', () => {
  const refusedBurst = { ...burst, remaining: 30, refused: true };
  expect(rateLimitHeaders([daily, refusedBurst], 'draft-06')['RateLimit-Limit']).toBe('100');
});

test('drafts without names do not list the same quota twice', () => {
  const slow = { ...burst, name: 'slow', windowSeconds: 3_600 };
  expect(rateLimitHeaders([slow, burst], 'draft-06')['RateLimit-Policy']).toBe('100;w=60');
});

test('without quotas, and when headers are turned off, there are none', () => {
  expect(rateLimitHeaders([])).toEqual({});
  expect(rateLimitHeaders([burst], 'none')).toEqual({});
});

test('whatever the numbers and names, every item of the lists is well-formed', () => {
  const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  const state = fc.record({
    name: fc.string({ unit: 'binary', minLength: 1 }),
    limit: amount,
    remaining: amount,
    windowSeconds: fc.integer({ min: 0, max: 1e9 }),
    resetSeconds: fc.double({ min: -1, max: 1e9, noNaN: true }),
    refused: fc.boolean(),
  });
  const name = String.raw`"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+"`;
  const list = (item: string): RegExp => new RegExp(`^${name}${item}(?:, ${name}${item})*$`);
  fc.assert(
    fc.property(fc.array(state, { minLength: 1, maxLength: 5 }), (states) => {
      const headers = rateLimitHeaders(states);
      expect(headers['RateLimit-Policy']).toMatch(list(String.raw`;q=\d{1,15};w=[1-9]\d{0,14}`));
      expect(headers['RateLimit']).toMatch(list(String.raw`;r=\d{1,15};t=\d{1,15}`));
    }),
  );
});

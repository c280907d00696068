import { heartbeatRequest } from '@weir/protocol';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { quickCheck } from '../../src/validation/quick-check.ts';

const isReport = quickCheck(heartbeatRequest);
const MOST = Number.MAX_SAFE_INTEGER;

const name = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,63}$/);
const whole = fc.oneof(fc.nat(), fc.constantFrom(0, MOST));
const rate = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
const usage = fc.record(
  {
    epoch: name,
    windowNumber: fc.integer({ min: 1 }),
    windowMs: whole,
    creditBudget: whole,
    chargedOps: whole,
    chargedByType: fc.record({ LIST: whole, GET: whole, PUT: whole, DELETE: whole }),
    exhaustedMs: whole,
    pacedMs: whole,
    actualTps: rate,
    recentTps: rate,
    meanTps: rate,
    peakSecondTps: rate,
    parkedOps: whole,
    bytesRead: whole,
    bytesWritten: whole,
  },
  {
    requiredKeys: [
      ...(['epoch', 'windowNumber', 'windowMs', 'creditBudget', 'chargedOps', 'chargedByType', 'exhaustedMs'] as const),
      ...(['actualTps', 'meanTps', 'peakSecondTps', 'parkedOps', 'bytesRead', 'bytesWritten'] as const),
    ],
  },
);
const report = fc.record(
  {
    protocolVersion: fc.integer({ min: 1 }),
    version: fc.string({ maxLength: 64 }),
    host: fc.string({ maxLength: 255 }),
    bootId: name,
    limiter: fc.boolean(),
    runningJobs: whole,
    usage: fc.option(usage),
    safeOps: whole,
    holdoff: fc.option(
      fc.record({ remainingMs: whole, reason: fc.string({ maxLength: 500 }), jobId: fc.option(name) }),
    ),
  },
  { requiredKeys: ['protocolVersion', 'version', 'host', 'bootId', 'limiter', 'runningJobs', 'usage', 'holdoff'] },
);

test('every report that the schema takes as it is passes the quick check', () => {
  fc.assert(
    fc.property(report, (value) => {
      const sent: unknown = JSON.parse(JSON.stringify(value));
      expect(heartbeatRequest.parse(sent)).toEqual(sent);
      expect(isReport(sent)).toBe(true);
    }),
  );
});

/** Every place in a value where something else could stand. */
function places(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, part]) => places(part, [...path, key]))];
}

function withValueAt(value: unknown, [key, ...rest]: string[], put: (before: unknown) => unknown): unknown {
  if (key === undefined) return put(value);
  const entries = Object.entries(Object(value)).map(([k, v]) => [k, k === key ? withValueAt(v, rest, put) : v]);
  return Object.fromEntries(entries.filter(([, v]) => v !== undefined));
}

test('what passes the quick check is taken by the schema, and left as it is', () => {
  const strange = fc.oneof(
    fc.constantFrom<unknown>(
      undefined,
      null,
      -1,
      0.5,
      MOST + 1,
      -0,
      1e308,
      '',
      'A',
      ' a',
      'a\n',
      'x'.repeat(300),
      [],
      {},
    ),
    fc.jsonValue(),
  );
  let passed = 0;
  fc.assert(
    fc.property(report, fc.nat(), strange, fc.boolean(), (value, at, other, beside) => {
      const all = places(value);
      const place = all[at % all.length] ?? [];
      const changed = withValueAt(value, place, (before) =>
        beside && typeof before === 'object'
          ? { ...before, [typeof other === 'string' ? other : 'more']: other }
          : other,
      );
      if (changed === undefined) return;
      const sent: unknown = JSON.parse(JSON.stringify(changed));
      if (!isReport(sent)) return;
      passed += 1;
      expect(heartbeatRequest.parse(sent)).toEqual(sent);
    }),
    { numRuns: 2_000 },
  );
  expect(passed).toBeGreaterThan(50);
});

test.each(['{"__proto__":{"a":1}', '{"constructor":1', '{"toString":1', '{"mood":1'])(
  'a name that the schema does not know, as in %s, is never passed, at whatever depth',
  (start) => {
    const whole = fc.sample(report, { numRuns: 20, seed: 1 }).filter((each) => each.usage !== null);
    expect(whole.length).toBeGreaterThan(0);
    for (const value of whole) {
      const text = JSON.stringify(value);
      for (const place of ['{', '"usage":{', '"chargedByType":{']) {
        const put = `${place.slice(0, -1)}${start},`;
        expect(isReport(JSON.parse(text.replace(place, put)))).toBe(false);
      }
    }
  },
);

test('a schema with a part that the quick check does not know is refused when the check is made', () => {
  const parts = [z.array(z.string()), z.string().trim(), z.string().refine(() => true), z.looseObject({}), z.date()];
  for (const part of parts) expect(() => quickCheck<unknown>(part)).toThrow(TypeError);
});

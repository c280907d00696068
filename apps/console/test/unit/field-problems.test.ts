import { endpointInput, governorSettings, jobInput } from '@weir/protocol';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { fieldProblems } from '../../src/validation/field-problems.ts';

function problems(schema: z.ZodType, input: unknown) {
  const result = schema.safeParse(input);
  return result.success ? [] : fieldProblems(result.error, input);
}

const settings = {
  enabled: true,
  globalLimitTps: 1_000,
  transactionTypes: { LIST: true, GET: true, PUT: true, DELETE: false },
  alarmThresholdPercent: 95,
};

test('a limit of "abc" names the field, the value and what would be right', () => {
  expect(problems(governorSettings, { ...settings, globalLimitTps: 'abc' })).toEqual([
    { field: 'globalLimitTps', value: 'abc', problem: 'must be a whole number of TPS, for example 10000' },
  ]);
});

test('every problem is listed at once, unknown fields too, nested ones with their path', () => {
  const input = {
    ...settings,
    enabled: 'yes',
    alarmThresholdPercent: 200,
    transactionTypes: { LIST: true, POST: true },
    colour: 'red',
  };
  expect(problems(governorSettings, input).map(({ field }) => field)).toEqual([
    'enabled',
    'transactionTypes.GET',
    'transactionTypes.PUT',
    'transactionTypes.DELETE',
    'transactionTypes.POST',
    'alarmThresholdPercent',
    'colour',
  ]);
});

test('a missing field and a missing body are called missing', () => {
  const { globalLimitTps: _, ...without } = settings;
  expect(problems(governorSettings, without)).toMatchObject([
    { field: 'globalLimitTps', problem: expect.stringContaining('is missing') },
  ]);
  expect(problems(governorSettings, undefined)).toMatchObject([
    { field: '', problem: expect.stringContaining('is missing') },
  ]);
});

test('no secret is repeated back, whatever is wrong with the rest', () => {
  const secret = 'S3CR3T'.repeat(400);
  const input = { name: '', url: 'ftp://x', accessKeyId: '', secretAccessKey: secret, extra: secret };
  const found = problems(endpointInput, input);
  expect(found.map(({ field }) => field)).toEqual(['name', 'url', 'accessKeyId', 'secretAccessKey', 'extra']);
  expect(JSON.stringify(found)).not.toContain('S3CR3T');
});

test('a password inside an address is not repeated back', () => {
  const [problem] = problems(endpointInput.pick({ url: true }), { url: 'ftp://ann:hunter2@host/x' });
  expect(problem?.value).toBe('ftp://…@host/x');
});

test('values are shortened, and bodies of any form give a bounded list of problems', () => {
  const long = problems(governorSettings, { ...settings, globalLimitTps: 'x'.repeat(1_000) });
  expect(long[0]?.value?.length).toBeLessThan(70);
  fc.assert(
    fc.property(fc.jsonValue(), (body) => {
      const found = problems(jobInput, body);
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThanOrEqual(50);
    }),
  );
});

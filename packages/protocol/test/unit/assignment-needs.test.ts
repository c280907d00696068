import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ASSIGNMENT_NEEDS,
  assignment,
  assignmentNeed,
  DEFAULT_JOB_OPTIONS,
  jobNeeds,
  jobOptions,
  limiterNeeds,
  limiterInstructions,
  OLDEST_PROTOCOL_VERSION,
  PROTOCOL_VERSION,
  versionFor,
} from '../../src/index.ts';

test('every need has a version of the wire between the oldest and the newest', () => {
  expect(Object.keys(ASSIGNMENT_NEEDS)).toEqual([...assignmentNeed.options]);
  for (const need of assignmentNeed.options) {
    expect(versionFor([need])).toBeGreaterThan(OLDEST_PROTOCOL_VERSION);
    expect(versionFor([need])).toBeLessThanOrEqual(PROTOCOL_VERSION);
  }
});

test('a job that asks for nothing needs the oldest version, and the limiter of the documents asks for nothing', () => {
  expect(jobNeeds({ ...DEFAULT_JOB_OPTIONS, manifest: false }, false)).toEqual([]);
  expect(versionFor([])).toBe(OLDEST_PROTOCOL_VERSION);
  expect(limiterNeeds({ mode: 'enforced', settingsVersion: 1, chargedTypes: [] })).toEqual([]);
  expect(limiterNeeds({ mode: 'off', settingsVersion: 1, chargedTypes: [], costModel: 'per-request' })).toEqual([]);
});

test('a server-side copy is asked for only where both sides are one endpoint', () => {
  const options = { ...DEFAULT_JOB_OPTIONS, manifest: false };
  expect(jobNeeds(options, true)).toEqual(['server-side-copy']);
  expect(jobNeeds({ ...options, serverSideCopy: false }, true)).toEqual([]);
});

test('no option that is not what it was before there were options goes unnoticed', () => {
  const bytes = fc.integer({ min: 5 * 1_024 ** 2, max: 1_024 ** 3 });
  const given = fc.record({
    checkBy: fc.constantFrom('head', 'listing'),
    filter: fc.record(
      {
        include: fc.array(fc.constant('a*'), { maxLength: 2 }),
        maxBytes: fc.option(fc.nat()),
        minBytes: fc.constant(null),
      },
      { requiredKeys: [] },
    ),
    dryRun: fc.boolean(),
    manifest: fc.boolean(),
    multipartThresholdBytes: fc.option(bytes, { nil: undefined }),
  });
  const before = { ...DEFAULT_JOB_OPTIONS, manifest: false };
  fc.assert(
    fc.property(given, (input) => {
      const options = jobOptions.parse(input);
      const plain = JSON.stringify(options) === JSON.stringify(before);
      expect(jobNeeds(options, false).length === 0).toBe(plain);
    }),
  );
});

test('a field that a later version adds to an assignment or to the limiter has to be looked at here', () => {
  // Whoever adds a field decides whether agents that ignore it do harm, gives it a need if so, and adds it to this list.
  expect(Object.keys(assignment.shape)).toEqual([
    'jobId',
    'jobName',
    'shardId',
    'leaseId',
    'kind',
    'mode',
    'options',
    'source',
    'target',
    'work',
    'checkpoint',
    'manifest',
    'startedAtMs',
    'heldBefore',
    'splitInto',
  ]);
  expect(Object.keys(jobOptions.shape)).toEqual(Object.keys(DEFAULT_JOB_OPTIONS));
  expect(Object.keys(DEFAULT_JOB_OPTIONS)).toEqual([
    'checkBy',
    'filter',
    'dryRun',
    'serverSideCopy',
    'manifest',
    'multipartThresholdBytes',
    'partBytes',
  ]);
  expect(Object.keys(limiterInstructions.shape)).toEqual([
    'mode',
    'settingsVersion',
    'chargedTypes',
    'costModel',
    'pacing',
    'reportChanges',
    'safeTps',
  ]);
});

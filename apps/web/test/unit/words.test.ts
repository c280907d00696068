import { ApiError, NetworkError, type NetworkErrorReason } from '@weir/client';
import { ERROR_CODES, jobAction, jobState, PROTOCOL_VERSION } from '@weir/protocol';
import { describe, expect, it } from 'vitest';
import { alarmState, alarmSummary } from '../../src/words/alarm-words.ts';
import { ERROR_WORDS, wordsFor } from '../../src/words/error-words.ts';
import { refusedFields, schemaErrors } from '../../src/words/field-errors.ts';
import { actionsFor, JOB_STATES, locationText } from '../../src/words/job-words.ts';
import { needList, versionWords, withheldFrom } from '../../src/words/need-words.ts';
import { SCENARIOS } from '../fixture/scenarios.ts';

describe('words for errors', () => {
  it.each([...ERROR_CODES])('%s has a sentence and a remedy', (code) => {
    const words = wordsFor(new ApiError({ code, status: 400, message: 'x' }));
    expect(words).toEqual(ERROR_WORDS[code]);
    expect(words.title).toMatch(/^[A-Z].*\.$/);
    expect(words.remedy).toMatch(/^[A-Z].*\.$/);
  });

  it.each<NetworkErrorReason>(['unreachable', 'timeout', 'redirected', 'bad-answer'])(
    'a network error %s has both',
    (reason) => {
      const words = wordsFor(new NetworkError(reason, 'x'));
      expect(words.title).toMatch(/\.$/);
      expect(words.remedy).toMatch(/\.$/);
    },
  );

  it('say how long to wait when the console does', () => {
    const error = new ApiError({ code: 'too-many-requests', status: 429, message: 'x', retryAfterMs: 4_200 });
    expect(wordsFor(error).remedy).toBe('Try again in 5 seconds.');
  });

  it('say who changed something first when the console does', () => {
    const changed = { version: 5, changedBy: 'ada', changedAtMs: 1 };
    const error = new ApiError({ code: 'changed-meanwhile', status: 409, message: 'x', changed });
    expect(wordsFor(error)).toEqual({ ...ERROR_WORDS['changed-meanwhile'], title: 'ada changed this meanwhile.' });
  });

  it('exist for anything that is thrown', () => {
    expect(wordsFor(new TypeError('x')).title).toMatch(/\.$/);
    expect(wordsFor(undefined).remedy).toMatch(/\.$/);
  });
});

describe('errors at fields', () => {
  it('come from the fields that the console names', () => {
    const error = new ApiError({
      code: 'validation-failed',
      status: 400,
      message: 'x',
      fields: [
        { field: 'target.prefix', value: 'a/', problem: 'must be outside the source' },
        { field: 'target.prefix', problem: 'a second problem' },
        { field: '', problem: 'of the body as a whole' },
      ],
    });
    expect(refusedFields(error)).toEqual({ 'target.prefix': 'Must be outside the source.' });
  });

  it('say what the server said beside the words of the page', () => {
    const error = new ApiError({
      code: 'endpoint-unreachable',
      status: 422,
      message: 'x',
      fields: [{ field: 'url', problem: 'cannot be reached: http://s3 was not reached: connection refused' }],
    });
    expect(refusedFields(error)['url']).toMatch(/^The endpoint cannot be reached\. .*\(connection refused\)$/);
  });

  it('stand at the field that a code speaks of when the console names none', () => {
    const error = new ApiError({ code: 'name-taken', status: 409, message: 'x' });
    expect(refusedFields(error, { 'name-taken': 'name' })).toEqual({
      name: 'This name is already in use. Choose another name.',
    });
  });

  it('are none for errors that are no refusal', () => {
    expect(refusedFields(new NetworkError('timeout', 'x'), { 'name-taken': 'name' })).toEqual({});
  });

  it('are one sentence per field of a schema', () => {
    expect(
      schemaErrors([
        { path: ['source', 'bucket'], message: 'must not be empty' },
        { path: ['source', 'bucket'], message: 'later' },
      ]),
    ).toEqual({ 'source.bucket': 'Must not be empty.' });
  });
});

describe('words for jobs', () => {
  it('name every state', () => {
    expect(Object.keys(JOB_STATES).sort()).toEqual([...jobState.options].sort());
  });

  it('offer each action in some state, and none for a completed job', () => {
    const offered = new Set(jobState.options.flatMap((state) => actionsFor(state)));
    expect([...offered].sort()).toEqual([...jobAction.options].sort());
    expect(actionsFor('completed')).toEqual([]);
    expect(actionsFor('paused')).toEqual(['resume', 'cancel']);
  });

  it('leave out an empty prefix', () => {
    const place = { endpointId: 'x', endpointName: 'Frankfurt', bucket: 'invoices', prefix: '' };
    expect(locationText(place)).toBe('Frankfurt / invoices');
    expect(locationText({ ...place, prefix: '2024/' })).toBe('Frankfurt / invoices / 2024/');
  });
});

describe('words for versions', () => {
  it('say which side to update, and nothing of the same version', () => {
    expect(versionWords(PROTOCOL_VERSION)).toBeNull();
    expect(versionWords(PROTOCOL_VERSION - 1)).toContain('update');
    expect(versionWords(PROTOCOL_VERSION + 1)).toContain('update the console');
  });

  it('list what older agents are not given, and for agents of today nothing', () => {
    expect(withheldFrom(1)).toContain('a filter, a dry run');
    expect(withheldFrom(1)).toContain(' and pacing');
    expect(withheldFrom(PROTOCOL_VERSION)).toBe('');
    expect(needList(['filter'])).toBe('a filter');
    expect(needList(['filter', 'manifest'])).toBe('a filter and a manifest');
  });
});

describe('words for alarms', () => {
  const [active, cleared, expired] = SCENARIOS['alarm']!(1_700_000_000_000).alarms;

  it('say how an alarm stands and how it ended', () => {
    expect([active!, cleared!, expired!].map((alarm) => alarmState(alarm).label)).toEqual([
      'Active',
      'Cleared',
      'Expired',
    ]);
  });

  it('say what was measured', () => {
    expect(alarmSummary(active!)).toBe('The fleet reached 98.7% of the global limit; the alarm threshold is 95%.');
  });
});

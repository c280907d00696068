import { describe, expect, it } from 'vitest';
import { checkEndpoint, EMPTY_ENDPOINT } from '../../src/pages/endpoints/endpoint-draft.ts';
import { DEFAULT_JOB_OPTIONS } from '@weir/protocol';
import { checkJob, EMPTY_JOB, suggestedName, type JobDraft } from '../../src/pages/jobs/job-draft.ts';
import { draftOf, EMPTY_OPTIONS, optionsOf, optionWords, parseSize } from '../../src/pages/jobs/option-draft.ts';
import { startSteps } from '../../src/pages/start/start-steps.ts';

const JOB: JobDraft = {
  name: '',
  source: { endpointId: 'a', bucket: ' invoices ', prefix: '2024/ ' },
  target: { endpointId: 'b', bucket: 'copy', prefix: '' },
  mode: 'incremental',
  options: EMPTY_OPTIONS,
};

describe('a new job', () => {
  it('is named after its buckets when it has no name, and keeps prefixes as they are', () => {
    expect(checkJob(JOB)).toEqual({
      ok: true,
      input: {
        name: 'invoices to copy',
        source: { endpointId: 'a', bucket: 'invoices', prefix: '2024/ ' },
        target: { endpointId: 'b', bucket: 'copy', prefix: '' },
        mode: 'incremental',
        options: DEFAULT_JOB_OPTIONS,
      },
    });
  });

  it('says later which sizes and times it was limited to', () => {
    const filter = { ...DEFAULT_JOB_OPTIONS.filter, minBytes: 2 ** 20, maxBytes: 5 * 2 ** 30, modifiedAfterMs: 0 };
    expect(optionWords({ ...DEFAULT_JOB_OPTIONS, dryRun: true, filter }, 'copy-all')).toEqual([
      'dry run',
      'at least 1 MiB',
      'at most 5 GiB',
      expect.stringMatching(/^changed after .*19(69|70)/),
    ]);
  });

  it('suggests a name that fits', () => {
    const long = 'b'.repeat(250);
    const draft = { ...JOB, source: { ...JOB.source, bucket: long }, target: { ...JOB.target, bucket: long } };
    expect(suggestedName(draft).length).toBeLessThanOrEqual(64);
    expect(checkJob(draft).ok).toBe(true);
  });

  it('says at each field what is missing, all at once; the name may be, and is made of the buckets', () => {
    const checked = checkJob(EMPTY_JOB);
    expect(Object.keys(checked.ok ? {} : checked.errors).sort()).toEqual([
      'source.bucket',
      'source.endpointId',
      'target.bucket',
      'target.endpointId',
    ]);
  });

  it('refuses a bucket name that no server accepts', () => {
    const checked = checkJob({ ...JOB, source: { ...JOB.source, bucket: 'a b' } });
    expect(checked.ok ? {} : checked.errors).toEqual({
      'source.bucket': expect.stringMatching(/^Must be 2–255 characters/),
    });
  });

  it('refuses to copy a place onto itself', () => {
    const checked = checkJob({ ...JOB, target: { ...JOB.source } });
    expect(checked.ok ? {} : checked.errors).toHaveProperty(['target.bucket']);
  });
});

describe('options of a job', () => {
  const filter = {
    include: ['a/**', ' b'],
    exclude: ['*.tmp'],
    minBytes: 10,
    maxBytes: 1_572_864,
    modifiedAfterMs: new Date('2026-11-30T14:05').getTime(),
    modifiedBeforeMs: null,
  };

  it('are read from texts, and written as texts that read the same', () => {
    const options = { ...DEFAULT_JOB_OPTIONS, filter, dryRun: true };
    const read = optionsOf(draftOf(options));
    expect(read).toEqual({ options, errors: {} });
    const typed = { ...EMPTY_OPTIONS, include: 'a/**\r\n\n b\n', maxSize: '1.5 MiB', minSize: '10' };
    expect(optionsOf(typed).options.filter).toMatchObject({
      include: ['a/**', ' b'],
      minBytes: 10,
      maxBytes: 1_572_864,
    });
  });

  it('say at its field what is no size, and that bounds exclude each other', () => {
    const wrong = checkJob({ ...JOB, options: { ...EMPTY_OPTIONS, minSize: 'large' } });
    expect(wrong.ok ? {} : wrong.errors).toHaveProperty(['options.filter.minBytes']);
    const crossed = checkJob({ ...JOB, options: { ...EMPTY_OPTIONS, minSize: '2 kB', maxSize: '1 kB' } });
    expect(crossed.ok ? {} : crossed.errors).toEqual({
      'options.filter.maxBytes': expect.stringMatching(/^Must not be below minBytes/),
    });
  });

  it.each([
    ['', null],
    ['0', 0],
    ['10 kB', 10_000],
    ['1.5GiB', 1_610_612_736],
    ['-1', undefined],
    ['1 parsec', undefined],
    ['9007199254740993', undefined],
  ])('the size %j is %j bytes', (text, bytes) => expect(parseSize(text)).toBe(bytes));
});

describe('a new endpoint', () => {
  const good = {
    ...EMPTY_ENDPOINT,
    name: ' S3 ',
    url: ' http://127.0.0.1:9000 ',
    accessKeyId: 'a ',
    secretAccessKey: ' s',
  };

  it('drops the spaces that copying brings', () => {
    expect(checkEndpoint(good)).toMatchObject({
      ok: true,
      input: { name: 'S3', url: 'http://127.0.0.1:9000', accessKeyId: 'a', secretAccessKey: 's' },
    });
  });

  it('says at each field what is missing, all at once', () => {
    const checked = checkEndpoint({ ...EMPTY_ENDPOINT, region: '' });
    expect(Object.keys(checked.ok ? {} : checked.errors).sort()).toEqual([
      'accessKeyId',
      'name',
      'region',
      'secretAccessKey',
      'url',
    ]);
  });

  it.each(['s3.example.net', 'ftp://s3.example.net', 'http://'])('refuses the address %s', (url) => {
    const checked = checkEndpoint({ ...good, url });
    expect(checked.ok ? {} : checked.errors).toEqual({ url: expect.stringContaining('http') });
  });
});

describe('the first steps', () => {
  it('are done as soon as there is one of each', () => {
    expect(startSteps({ agents: 0, endpoints: 0, jobs: 0 }).map((step) => step.done)).toEqual([false, false, false]);
    expect(startSteps({ agents: 1, endpoints: 2, jobs: 0 }).map((step) => step.done)).toEqual([true, true, false]);
  });
});

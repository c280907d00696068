import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EMPTY_MANIFEST, emptyCounters, type ManifestEntry } from '@weir/s3-copy';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CopyFiles } from '../../src/copy/copy-files.ts';
import { readFailedKeys } from '../../src/copy/failed-keys.ts';
import { LineFile } from '../../src/copy/line-file.ts';
import { checkLocalManifest, manifestHeader } from '../../src/copy/local-manifest.ts';
import { freshState, readState, StateFile, type CopyState } from '../../src/copy/state-file.ts';

let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'weir-copy-files-'));
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

const text = fc.string({ unit: 'binary', maxLength: 30 }).filter((each) => each.isWellFormed());
const line = text.filter((each) => !each.includes('\n'));
const key = text.filter((each) => each !== '');
const entry: fc.Arbitrary<ManifestEntry> = fc.record({
  key,
  sizeBytes: fc.option(fc.nat()),
  etag: fc.string(),
  verified: fc.constantFrom('md5' as const, 'none' as const),
  action: fc.constantFrom('copied' as const, 'skipped' as const, 'failed' as const),
});

describe('a file of lines', () => {
  it('holds what was saved and what was added after that, whatever a killed process had added in between', async () => {
    const file = join(dir, 'lines');
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(line), fc.array(line), async (saved, lost, after) => {
        const first = await LineFile.open(file, 0);
        for (const each of saved) first.add(each);
        await first.flush();
        const { bytes } = first;
        for (const each of lost) first.add(each);
        await first.flush();
        await first.close();
        const second = await LineFile.open(file, bytes);
        for (const each of after) second.add(each);
        await second.flush();
        await second.close();
        // Nothing saved: the file begins anew, as for a copy that begins anew.
        const kept = [...saved, ...after].map((each) => `${each}\n`).join('');
        expect(readFileSync(file, 'utf8')).toBe(kept);
        expect(second.bytes).toBe(Buffer.byteLength(kept));
      }),
      { numRuns: 60 },
    );
  });

  it('tells when it is shorter than it was, or cannot be written', async () => {
    const file = join(dir, 'short');
    writeFileSync(file, 'abc');
    await expect(LineFile.open(file, 4)).rejects.toMatchObject({ code: 'file-changed' });
    await expect(LineFile.open(join(dir, 'no/folder'), 0)).rejects.toMatchObject({ code: 'file-unwritable' });
    const full = await LineFile.open('/dev/full', 0);
    full.add('x');
    await expect(full.flush()).rejects.toMatchObject({ code: 'file-unwritable' });
    await full.close();
  });
});

describe('the state of a copy', () => {
  const state: CopyState = {
    ...freshState('about', emptyCounters(), 0),
    checkpoint: 'line\nbreak \u2028 \u0001',
    pendingKeys: ['a', 'ä/ \u{1f600}'],
    failures: [{ key: 'f', code: 'c', message: 'm', requestId: null }],
    manifest: { digest: 'ab'.repeat(32), entries: 7 },
  };

  it('is read as it was written, leaves no other file, and belongs to one copy', async () => {
    const file = join(dir, 'states', 'state');
    await expect(new StateFile(file).write(state)).rejects.toMatchObject({ code: 'file-unwritable' });
    const here = join(dir, 'state');
    const writer = new StateFile(here);
    await Promise.all([writer.write({ ...state, checkpoint: 'older' }), writer.write(state)]);
    expect(await readState(here, 'about')).toEqual(state);
    expect(readdirSync(dir).filter((name) => name.startsWith('state'))).toEqual(['state']);
    await expect(readState(here, 'other')).rejects.toMatchObject({ code: 'state-of-another-copy' });
    await writer.remove();
    await writer.remove();
    expect(await readState(here, 'about')).toBeNull();
  });

  it.each(['', '{}', '[]', 'null', '{"version":2}', JSON.stringify({ version: 1, about: 'about' })])(
    'is not mistaken for something else: %j',
    async (content) => {
      const file = join(dir, 'wrong');
      writeFileSync(file, content);
      await expect(readState(file, 'about')).rejects.toMatchObject({ code: 'state-invalid' });
    },
  );
});

describe('the files of a copy', () => {
  const header = manifestHeader({
    source: 's3://a/',
    sourceUrl: 'http://a',
    target: 's3://b/',
    targetUrl: 'http://b',
    mode: 'copy-all',
    startedAt: '2026-11-30T00:00:00.000Z',
  });

  it('make one whole manifest out of two runs, whatever their keys hold', async () => {
    const file = join(dir, 'manifest');
    const { chainLine, manifestLine } = await import('@weir/s3-copy');
    await fc.assert(
      fc.asyncProperty(fc.array(entry), fc.array(entry), fc.array(entry), async (saved, lost, after) => {
        const names = { state: join(dir, 'manifest.state'), manifest: file };
        const first = await CopyFiles.open(names, freshState('about', emptyCounters(), 0), header);
        for (const each of saved) first.addEntry(each);
        await first.save(freshState('about', emptyCounters(), 0));
        for (const each of lost) first.addEntry(each);
        await first.close();
        const state = await readState(names.state, 'about');
        if (state === null) throw new Error('no state');
        const second = await CopyFiles.open(names, state, header);
        for (const each of after) second.addEntry(each);
        const chain = [...saved, ...after].reduce((to, each) => chainLine(to, manifestLine(each)), EMPTY_MANIFEST);
        await second.finish(state, { end: 'completed', ...chain }, true);
        await second.close();
        expect(await readState(names.state, 'about')).toBeNull();
        const copied = [...saved, ...after].filter(({ action }) => action === 'copied');
        expect(await checkLocalManifest(file)).toMatchObject({
          ok: true,
          header,
          ...chain,
          actions: { copied: copied.length },
          bytes: copied.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
        });
      }),
      { numRuns: 60 },
    );
  });

  it('make a list of failures that is read back as its keys, each once', async () => {
    const file = join(dir, 'failed');
    await fc.assert(
      fc.asyncProperty(fc.array(key), async (keys) => {
        const files = await CopyFiles.open({ failed: file }, freshState('about', emptyCounters(), 0), header);
        for (const each of keys) files.addFailure({ key: each, code: 'c', message: 'm', requestId: null });
        await files.save(freshState('about', emptyCounters(), 0));
        await files.close();
        expect(await readFailedKeys(file)).toEqual([...new Set(keys)]);
      }),
      { numRuns: 60 },
    );
  });

  it('take keys as they stand from lines that are no JSON', async () => {
    const file = join(dir, 'plain');
    writeFileSync(file, 'a\n{not json\n\n{"key":"b\\nc"}\n b \n');
    expect(await readFailedKeys(file)).toEqual(['a', '{not json', 'b\nc', ' b ']);
    writeFileSync(file, `ok\n${'x'.repeat(1_025)}\n`);
    await expect(readFailedKeys(file)).rejects.toThrow('line 2');
    await expect(readFailedKeys(join(dir, 'absent'))).rejects.toMatchObject({ code: 'file-unreadable' });
  });
});

import { execFileSync } from 'node:child_process';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readTar, writeTar } from '../../src/storage/backup/tar.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-tar-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function pack(contents: readonly Uint8Array[]): Promise<string> {
  const files = contents.map((_, n) => ({ name: `file-${n}`, path: join(dir, `in-${n}`) }));
  await Promise.all(files.map(({ path }, n) => writeFile(path, contents[n] ?? '')));
  const path = join(dir, 'archive.tar');
  const archive = await open(path, 'w');
  await writeTar(archive, files);
  await archive.close();
  return path;
}

async function unpack(path: string): Promise<Map<string, Buffer>> {
  const archive = await open(path, 'r');
  const names: string[] = [];
  try {
    await readTar(archive, async (name) => {
      names.push(name);
      return open(join(dir, `out-${name}`), 'w');
    });
  } finally {
    await archive.close();
  }
  const found = new Map<string, Buffer>();
  for (const name of names) found.set(name, await readFile(join(dir, `out-${name}`)));
  return found;
}

const sizes = fc.oneof(fc.constantFrom(0, 1, 511, 512, 513, 1_048_576, 1_048_577), fc.nat(3_000));
const contents = fc.array(
  fc.tuple(sizes, fc.nat(255)).map(([size, byte]) => new Uint8Array(size).fill(byte)),
  { maxLength: 4 },
);

test('what was packed is unpacked byte by byte, whatever its size, and tar says the same', async () => {
  await fc.assert(
    fc.asyncProperty(contents, async (given) => {
      const path = await pack(given);
      const found = await unpack(path);
      expect([...found.keys()]).toEqual(given.map((_, n) => `file-${n}`));
      for (const [n, bytes] of given.entries()) expect(found.get(`file-${n}`)?.equals(bytes)).toBe(true);
      const listed = execFileSync('tar', ['-tvf', path], { encoding: 'utf8' }).split('\n').filter(Boolean);
      expect(listed.map((line) => Number(line.split(/\s+/)[2]))).toEqual(given.map((bytes) => bytes.length));
    }),
    { numRuns: 15 },
  );
});

test('an archive that is cut anywhere before its end is refused', async () => {
  const path = await pack([new Uint8Array(700).fill(7), new Uint8Array(20).fill(9)]);
  const whole = await readFile(path);
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1_025), async (length) => {
      await writeFile(path, whole.subarray(0, length));
      await expect(unpack(path)).rejects.toThrow('it ends too soon');
    }),
    { numRuns: 25 },
  );
});

import { appendFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newTally, tallyUnjudged } from '../../src/findings/tally.ts';
import { openFileJournal, type Journal, type ListingState, type PlanLine } from '../../src/index.ts';
import { tallyOf, undated } from '../support/judging.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-journal-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function lines(from: number, count: number): PlanLine[] {
  return Array.from({ length: count }, (_, n) => ({
    key: `rlflx:\xff"\n${from + n}`,
    node: 'n',
    family: 'f',
    undated: true,
    ended: false,
    tooLong: false,
    value: '1',
  }));
}

async function read(journal: Journal, fromByte = 0): Promise<{ line: PlanLine; endByte: number }[]> {
  const all: { line: PlanLine; endByte: number }[] = [];
  for await (const each of journal.lines(fromByte)) all.push(each);
  return all;
}

function state(planBytes: number): ListingState {
  return { about: 'a', startedAtMs: 1, phase: 'listing', cursor: '0 5', planBytes, tally: newTally() };
}

describe('a journal in a folder', () => {
  it('gives back what was saved, maps and all, also to another process', async () => {
    const first = await openFileJournal(folder);
    const tally = tallyOf([
      ['rlflx:a', undated()],
      ['quota:b:2026-10-01', undated()],
    ]);
    tallyUnjudged(tally, '__proto__');
    const planBytes = await first.append(lines(0, 3));
    const listing = { ...state(planBytes), tally };
    await first.saveListing(listing);
    const counts = { done: 1, kept: 0, gone: 0, changed: 0, failed: 0, spared: { 'no-lifetime': 2 } };
    const repair = { mode: 'date', appliedBytes: 7, appliedLines: 1, counts } as const;
    await first.saveRepair(repair);
    await first.close();
    const second = await openFileJournal(folder);
    expect(await second.load()).toEqual({ listing, repair });
    expect((await read(second)).map(({ line }) => line)).toEqual(lines(0, 3));
    await second.close();
  });

  it('reads the plan on from any line, however long it is', async () => {
    const journal = await openFileJournal(folder);
    await journal.append(lines(0, 2_000));
    const all = await read(journal);
    expect(all).toHaveLength(2_000);
    const middle = all[1_234];
    expect((await read(journal, middle?.endByte)).map(({ line }) => line)).toEqual(lines(1_235, 765));
    await journal.close();
  });

  it('cuts the plan to the checkpoint when more was written before the process died', async () => {
    const first = await openFileJournal(folder);
    const planBytes = await first.append(lines(0, 3));
    await first.saveListing(state(planBytes));
    await first.append(lines(3, 2));
    await first.close();
    // Half a line, as a killed process leaves it.
    await appendFile(join(folder, 'plan.jsonl'), '{"key":"ha');
    const second = await openFileJournal(folder);
    await second.cut((await second.load())?.listing.planBytes ?? 0);
    await second.append(lines(3, 2));
    expect((await read(second)).map(({ line }) => line)).toEqual(lines(0, 5));
    await second.close();
  });

  it('begins anew when what is there cannot be read or the plan is shorter than the checkpoint says', async () => {
    const journal = await openFileJournal(folder);
    expect(await journal.load()).toBeUndefined();
    await journal.saveListing(state(10));
    expect(await journal.load()).toBeUndefined();
    await writeFile(join(folder, 'listing.json'), '{"half":');
    expect(await journal.load()).toBeUndefined();
    await journal.begin();
    expect(await read(journal)).toEqual([]);
    await journal.close();
  });

  it('lets only its owner read it, for it holds keys', async () => {
    const journal = await openFileJournal(join(folder, 'own'));
    await journal.saveListing(state(0));
    const modes = await Promise.all(
      ['own', 'own/plan.jsonl', 'own/listing.json'].map(async (file) => (await stat(join(folder, file))).mode & 0o77),
    );
    expect(modes).toEqual([0, 0, 0]);
    await journal.close();
  });
});

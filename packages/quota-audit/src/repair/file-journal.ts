import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Journal, ListingState, RepairState } from './journal.ts';
import type { PlanLine } from './plan.ts';

/**
 * A journal in a folder of its own: `plan.jsonl`, `listing.json`, `repair.json`. Keys of the store are in it, so only
 * its owner may read it.
 */
export async function openFileJournal(folder: string): Promise<Journal> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files = {
    plan: join(folder, 'plan.jsonl'),
    listing: join(folder, 'listing.json'),
    repair: join(folder, 'repair.json'),
  };
  let plan = await open(files.plan, 'a', 0o600);
  let planBytes = (await plan.stat()).size;
  return {
    load: async () => {
      const listing = await readJson<ListingState>(files.listing);
      if (listing === undefined || listing.planBytes > planBytes) return undefined;
      return { listing, repair: await readJson<RepairState>(files.repair) };
    },
    begin: async () => {
      await rm(files.listing, { force: true });
      await rm(files.repair, { force: true });
      await truncate(files.plan, 0);
      planBytes = 0;
    },
    cut: async (bytes) => {
      await plan.close();
      await truncate(files.plan, bytes);
      plan = await open(files.plan, 'a', 0o600);
      planBytes = bytes;
    },
    append: async (lines) => {
      if (lines.length === 0) return planBytes;
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      await plan.appendFile(text);
      planBytes += Buffer.byteLength(text);
      return planBytes;
    },
    saveListing: async (state) => {
      await plan.datasync();
      await replace(files.listing, state);
    },
    saveRepair: (state) => replace(files.repair, state),
    lines: (fromByte) => readLines(files.plan, fromByte),
    close: () => plan.close(),
  };
}

async function readJson<T>(file: string): Promise<T | undefined> {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `replace` below, whole or not at all
    return JSON.parse(await readFile(file, 'utf8'), mapsAgain) as T;
  } catch {
    return undefined;
  }
}

/** JSON has no maps. */
function mapsAsEntries(_name: string, value: unknown): unknown {
  return value instanceof Map ? { map: [...value] } : value;
}

function mapsAgain(_name: string, value: unknown): unknown {
  const isMap = typeof value === 'object' && value !== null && 'map' in value && Array.isArray(value.map);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `mapsAsEntries`
  return isMap ? new Map(value.map as [unknown, unknown][]) : value;
}

/** Whole or not at all, whenever the process ends. */
async function replace(file: string, value: unknown): Promise<void> {
  const fresh = `${file}.new`;
  await writeFile(fresh, JSON.stringify(value, mapsAsEntries), { mode: 0o600 });
  await rename(fresh, file);
}

async function* readLines(
  file: string,
  fromByte: number,
): AsyncGenerator<{ line: PlanLine; endByte: number }, void, undefined> {
  let rest = Buffer.alloc(0);
  let endByte = fromByte;
  for await (const chunk of createReadStream(file, { start: fromByte }) as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a, from)) {
      endByte += end + 1 - from;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `append` above
      yield { line: JSON.parse(rest.toString('utf8', from, end)) as PlanLine, endByte };
      from = end + 1;
    }
    rest = rest.subarray(from);
  }
}

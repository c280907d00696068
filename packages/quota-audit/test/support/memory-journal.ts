import type { Journal, ListingState, PlanLine, RepairState } from '../../src/index.ts';

/** A journal in memory. What it saves is a copy, as on a disk. */
export class MemoryJournal implements Journal {
  plan: PlanLine[] = [];
  listing: ListingState | undefined;
  repair: RepairState | undefined;

  load(): Promise<{ listing: ListingState; repair: RepairState | undefined } | undefined> {
    const { listing, repair } = this;
    return Promise.resolve(listing === undefined ? undefined : structuredClone({ listing, repair }));
  }

  begin(): Promise<void> {
    this.plan = [];
    this.listing = undefined;
    this.repair = undefined;
    return Promise.resolve();
  }

  cut(planBytes: number): Promise<void> {
    this.plan.length = planBytes;
    return Promise.resolve();
  }

  append(lines: readonly PlanLine[]): Promise<number> {
    this.plan.push(...lines);
    return Promise.resolve(this.plan.length);
  }

  saveListing(state: ListingState): Promise<void> {
    this.listing = structuredClone(state);
    return Promise.resolve();
  }

  saveRepair(state: RepairState): Promise<void> {
    this.repair = structuredClone(state);
    return Promise.resolve();
  }

  // oxlint-disable-next-line require-await -- the interface is asynchronous
  async *lines(from: number): AsyncGenerator<{ line: PlanLine; endByte: number }, void, undefined> {
    for (let at = from; at < this.plan.length; at += 1) {
      const line = this.plan[at];
      if (line !== undefined) yield { line, endByte: at + 1 };
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

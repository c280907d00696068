import type { Appetite } from './allocation.ts';
import type { AllocationReason, GrantReason, MaxMinReason, ReclaimReason } from './allocation-reason.ts';

/** Where the reasons of one agent are; given to another agent once it was closed. */
export type Page = number;

/** A grant as it is written down, without the epoch, which all share. */
export type NotedGrant = Omit<GrantReason, 'epoch'>;

const APPETITES: readonly Appetite[] = ['hungry', 'steady', 'slack'];
const WANTS: readonly MaxMinReason['wants'][] = ['use', 'all', 'new'];
const RULES: readonly AllocationReason['rule'][] = ['first-grant', 'reclaim', 'max-min'];

/** Numbers of one grant: what a grant is, the rule, and at most 11 numbers of the rule. */
const COLUMNS = 17;
const RULE_COLUMN = 5;
const NUMBER_COLUMN = 6;
const CREDITS_COLUMN = 4;
/** Grants of an agent that are kept. */
const KEPT = 2;
const PAGE = COLUMNS * KEPT;
/** Pages per block: room grows by half a megabyte, without copying what is there. */
const BLOCK_PAGES = 2_048;

/**
 * Why agents have what they have: the latest two grants of each, as bare numbers; objects are made when somebody asks.
 * 272 bytes an agent, where the objects took a kilobyte, and nothing for the garbage collector to visit.
 */
export class ReasonBook {
  readonly #epoch: string;
  readonly #blocks: Float64Array[] = [];
  readonly #closed: Page[] = [];
  #pages = 0;

  /** @param epoch of all grants. */
  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** An empty page. */
  open(): Page {
    const page = this.#closed.pop() ?? this.#pages;
    if (page === this.#pages) {
      this.#pages += 1;
      if (page % BLOCK_PAGES === 0) this.#blocks.push(new Float64Array(BLOCK_PAGES * PAGE));
    }
    this.#row(page).fill(0);
    return page;
  }

  /** Gives a page back; once. */
  close(page: Page): void {
    this.#closed.push(page);
  }

  /** Writes down a grant; the one before the latest is forgotten. */
  note(page: Page, noted: NotedGrant): void {
    // In the block itself: a view of the page for each grant would be more work than the writing.
    const block = this.#block(page);
    const from = firstOf(page);
    block.copyWithin(from + COLUMNS, from, from + COLUMNS);
    const { reason } = noted;
    block[from] = noted.windowNumber;
    block[from + 1] = noted.grantedAtMs;
    block[from + 2] = noted.windowSeconds;
    block[from + 3] = noted.computedCredits;
    block[from + CREDITS_COLUMN] = noted.creditBudget;
    block[from + RULE_COLUMN] = RULES.indexOf(reason.rule);
    noteNumbers(block, from + NUMBER_COLUMN, numbersOf(reason));
  }

  /** The latest grant turned out to hold fewer credits. */
  cut(page: Page, creditBudget: number): void {
    const row = this.#row(page);
    if (row[0] !== 0) row[CREDITS_COLUMN] = creditBudget;
  }

  /** The grants of a page, newest first. */
  read(page: Page): GrantReason[] {
    const row = this.#row(page);
    const grants: GrantReason[] = [];
    // Window numbers begin at 1.
    for (let from = 0; from < PAGE && row[from] !== 0; from += COLUMNS) {
      grants.push(grantOf(this.#epoch, row.subarray(from, from + COLUMNS)));
    }
    return grants;
  }

  #row(page: Page): Float64Array {
    const from = firstOf(page);
    return this.#block(page).subarray(from, from + PAGE);
  }

  #block(page: Page): Float64Array {
    const block = this.#blocks[Math.floor(page / BLOCK_PAGES)];
    if (block === undefined) throw new RangeError(`There is no page ${page} in this book.`);
    return block;
  }
}

/** Where a page begins in its block. */
function firstOf(page: Page): number {
  return (page % BLOCK_PAGES) * PAGE;
}

function noteNumbers(block: Float64Array, from: number, numbers: readonly number[]): void {
  for (let index = 0; index < numbers.length; index += 1) block[from + index] = numbers[index] ?? Number.NaN;
}

function numbersOf(reason: AllocationReason): readonly number[] {
  if (reason.rule === 'reclaim') return numbersOfReclaim(reason);
  if (reason.rule === 'max-min') return numbersOfMaxMin(reason);
  return [reason.limitTps, reason.onlineAgents, reason.shareTps];
}

function numbersOfReclaim(reason: ReclaimReason): readonly number[] {
  return [
    reason.limitTps,
    reason.activeAgents,
    reason.shareTps,
    reason.hungryAgents,
    APPETITES.indexOf(reason.appetite),
    orNaN(reason.actualTps),
    reason.runsWithTps,
    reason.baseTps,
    reason.givenBackTps,
    reason.bonusTps,
    reason.scale,
  ];
}

function numbersOfMaxMin(reason: MaxMinReason): readonly number[] {
  return [
    reason.limitTps,
    reason.activeAgents,
    reason.shareTps,
    reason.hungryAgents,
    WANTS.indexOf(reason.wants),
    orNaN(reason.useTps),
    reason.weight,
    reason.floorTps,
    reason.headroomPercent,
    orNaN(reason.levelTps),
    reason.spareTps,
  ];
}

function grantOf(epoch: string, row: Float64Array): GrantReason {
  const [windowNumber = 0, grantedAtMs = 0, windowSeconds = 0, computedCredits = 0, creditBudget = 0] = row;
  const reason = reasonOf(RULES[row[RULE_COLUMN] ?? 0] ?? 'first-grant', row.subarray(NUMBER_COLUMN));
  return { epoch, windowNumber, grantedAtMs, reason, windowSeconds, computedCredits, creditBudget };
}

function reasonOf(rule: AllocationReason['rule'], numbers: Float64Array): AllocationReason {
  const [limitTps = 0, agents = 0, shareTps = 0, hungryAgents = 0, kind = 0, used = 0, ...rest] = numbers;
  if (rule === 'first-grant') return { rule, limitTps, onlineAgents: agents, shareTps };
  const common = { limitTps, activeAgents: agents, hungryAgents, shareTps };
  if (rule === 'reclaim') {
    const [runsWithTps = 0, baseTps = 0, givenBackTps = 0, bonusTps = 0, scale = 0] = rest;
    const appetite = APPETITES[kind] ?? 'steady';
    const reported = { appetite, actualTps: orNull(used), runsWithTps };
    return { rule, ...common, ...reported, baseTps, givenBackTps, bonusTps, scale };
  }
  const [weight = 0, floorTps = 0, headroomPercent = 0, level = 0, spareTps = 0] = rest;
  const claim = { useTps: orNull(used), wants: WANTS[kind] ?? 'new', weight, floorTps };
  return { rule, ...common, ...claim, headroomPercent, levelTps: orNull(level), spareTps };
}

function orNaN(number: number | null): number {
  return number ?? Number.NaN;
}

function orNull(number: number): number | null {
  return Number.isNaN(number) ? null : number;
}

import { deadlineAt } from '@weir/quota';
import { z } from 'zod';
import type { CreditLease, LedgerTier } from '../ports/credit-ledger.ts';
import { readShared } from '../validation/shared-text.ts';
import { LEDGER_KEYS } from './ledger-continuity.ts';

/** What stands under an agent's key. */
const record = z.object({
  bootId: z.string(),
  epoch: z.string(),
  windowNumber: z.number(),
  credits: z.number(),
  fromMs: z.number(),
  untilMs: z.number(),
  ledgerId: z.string(),
});

/** How long a record outlasts its lease, in ms: reports of its end come late. */
const MARGIN_MS = 60_000;
/** A lease that has ended: nobody ends it again. */
const ENDED = 'ended';

/**
 * Writes down, beside the counters, which lease each agent has, so that the next console can end it when the agent reports
 * that its window is over; without that it could only wait until it has run out. A lease is ended by whoever changes
 * its record, and so only once.
 */
export class LeaseRecords {
  readonly #store: Pick<LedgerTier['store'], 'get' | 'swap'>;
  /** What this console knows to stand in the records; undefined: nothing stands there. */
  readonly #known = new Map<string, string | undefined>();

  constructor(store: Pick<LedgerTier['store'], 'get' | 'swap'>) {
    this.#store = store;
  }

  /** The lease that stands in the record of an agent, also one that has run out; null when there is none. */
  async read(agentId: string): Promise<CreditLease | null> {
    const text = await this.#store.get(keyOf(agentId));
    this.#known.set(agentId, text);
    return text === undefined ? null : parse(agentId, text);
  }

  /** Replaces what stands there: a lease of another console then runs out. */
  async write(lease: CreditLease, nowMs: number): Promise<void> {
    const { agentId } = lease;
    const deadline = deadlineAt(Math.max(lease.untilMs, nowMs) + MARGIN_MS, nowMs);
    const text = JSON.stringify({ ...lease, agentId: undefined });
    for (let tries = 0; tries < 2; tries += 1) {
      const { swapped, value } = await this.#store.swap(keyOf(agentId), this.#known.get(agentId), text, deadline);
      this.#known.set(agentId, value);
      if (swapped) return;
    }
  }

  /** @returns whether the caller is the one that ended it */
  async end(lease: CreditLease, nowMs: number): Promise<boolean> {
    const { agentId } = lease;
    const text = this.#known.get(agentId);
    // Another lease stands there, of another console: this one runs out.
    if (text === undefined || !sameLease(parse(agentId, text), lease)) return false;
    const deadline = deadlineAt(Math.max(lease.untilMs, nowMs) + MARGIN_MS, nowMs);
    const { swapped, value } = await this.#store.swap(keyOf(agentId), text, ENDED, deadline);
    this.#known.set(agentId, value);
    return swapped;
  }

  /** The agent is not served any more. */
  forget(agentId: string): void {
    this.#known.delete(agentId);
  }
}

function keyOf(agentId: string): string {
  return `${LEDGER_KEYS}lease:${agentId}`;
}

function sameLease(found: CreditLease | null, lease: CreditLease): boolean {
  return (
    found?.epoch === lease.epoch &&
    found.windowNumber === lease.windowNumber &&
    found.fromMs === lease.fromMs &&
    found.ledgerId === lease.ledgerId
  );
}

function parse(agentId: string, text: string): CreditLease | null {
  const found = readShared(record, text);
  return found && { agentId, ...found };
}

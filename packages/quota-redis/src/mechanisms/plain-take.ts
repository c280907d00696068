import type { Deadline, Draw, Drawn } from '@weir/quota';
import type { RedisCommands } from '../redis-commands.ts';
import { asArray, asNumber, notACounter } from '../replies.ts';
import { toQuotaError } from '../reply-errors.ts';
import { runScript, scripts } from '../scripts/script.ts';

/** Share of the limit that must be left after a draw that goes the plain way: others draw at the same time. */
const RESERVE_SHARE = 0.125;

/** Most counters remembered for dating; more than ever are under way at once. */
const MAX_SUSPECTS = 10_000;

/**
 * The fast path: a plain INCRBY for a counter that this process has seen dated, far from its limit.
 *
 * - A total below what was seen means that the counter had vanished: it is dated at once.
 * - A total over the limit is corrected by a script that takes the amount back and draws again within the limit. A process
 *   that dies before that leaves the counter too high: less is admitted, never more.
 * - A reply that got lost leaves a suspect, which is dated before the next draw.
 * - What remains: a counter that vanished, raised by a process that dies within the next round trip, stays undated unless
 *   anybody draws from it again. That is why this path is an option.
 */
export class PlainTake {
  readonly #commands: RedisCommands;
  readonly #suspects = new Map<string, Deadline>();

  constructor(commands: RedisCommands) {
    this.#commands = commands;
  }

  /** Counters that may stand without a deadline because a reply was lost. */
  get suspects(): number {
    return this.#suspects.size;
  }

  /** Whether a draw may go this way. */
  suits({ amount, limit, seen }: Draw): boolean {
    return (
      seen !== undefined && seen > 0 && seen + amount <= limit - Math.max(amount, Math.floor(limit * RESERVE_SHARE))
    );
  }

  /** @param draws of one slot, each suited, with distinct keys. */
  async take(draws: readonly Draw[]): Promise<readonly (Drawn | Error)[]> {
    const replies = await Promise.allSettled(
      this.#commands.sendAll(
        draws.map(({ key, amount }) => ['INCRBY', key, String(amount)]),
        draws[0]?.key,
      ),
    );
    return Promise.all(
      draws.map(async (draw, index) => {
        const reply = replies[index];
        try {
          if (reply?.status !== 'fulfilled') throw toQuotaError(reply?.reason);
          return await this.#settle(draw, asNumber(reply.value));
        } catch (error) {
          this.#suspect(draw.key, draw.deadline);
          return toQuotaError(error);
        }
      }),
    );
  }

  /** Dates what earlier draws may have left undated. What cannot be dated now stays remembered. */
  async dateSuspects(shareSlot: (keys: readonly string[]) => boolean): Promise<void> {
    if (this.#suspects.size === 0) return;
    const entries = [...this.#suspects];
    this.#suspects.clear();
    const groups = shareSlot(entries.map(([key]) => key)) ? [entries] : entries.map((entry) => [entry]);
    await Promise.all(
      groups.map(async (group) => {
        try {
          await this.#date(group);
        } catch {
          for (const [key, deadline] of group) this.#suspect(key, deadline);
        }
      }),
    );
  }

  async #settle(draw: Draw, total: number): Promise<Drawn | Error> {
    const { key, amount, unit, limit, deadline, seen = 0 } = draw;
    const before = total - amount;
    if (before < 0) return notACounter(key);
    const vanished = before === 0 ? { vanished: true } : {};
    if (total > limit) {
      const args = [amount, unit, limit, deadline].map(String);
      const [granted, corrected] = asArray(await runScript(this.#commands, scripts.redraw, [key], args), 2);
      return { granted: asNumber(granted), total: asNumber(corrected), ...vanished };
    }
    if (before < seen) await this.#date([[key, deadline]]);
    return { granted: amount, total, ...vanished };
  }

  async #date(entries: readonly (readonly [string, Deadline])[]): Promise<void> {
    const keys = entries.map(([key]) => key);
    await runScript(
      this.#commands,
      scripts.date,
      keys,
      entries.map(([, deadline]) => String(deadline)),
    );
  }

  #suspect(key: string, deadline: Deadline): void {
    if (this.#suspects.size < MAX_SUSPECTS) this.#suspects.set(key, deadline);
  }
}

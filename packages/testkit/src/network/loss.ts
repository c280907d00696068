/**
 * What the loss of packets looks like to the programs at both ends of a TCP connection. A proxy cannot lose bytes, for TCP
 * sends them again until they arrive; what programs see of it is time, and sometimes an end:
 *
 * - A lost segment is sent again after a retransmission time-out, twice that when it is lost again, and so on; everything
 *   behind it waits, because TCP delivers in order. So a chunk is held for 200 ms, 600 ms, 1,400 ms, …
 * - A lost SYN is sent again after a second, then two more, …: the first bytes of a connection come later by that.
 * - A connection whose segments are lost too often in a row is reset, or falls silent when the news of that is lost too.
 *
 * What it does not model: fast retransmission, which makes a single loss within a busy stream cheaper than this, and a
 * congestion window that halves. It is harsher than a network of the same loss with long transfers, and like one with short
 * requests. Where Linux allows network namespaces, `tc qdisc add … netem loss 10%` is the real thing.
 */
export interface Loss {
  /** Part of all segments that is lost, 0–0.9. A chunk that a socket hands over counts as one. */
  readonly share: number;
  /** The same seed and the same traffic: the same losses. */
  readonly seed: number;
  /** First retransmission time-out, in ms. Default 200: the least that Linux uses. */
  readonly retransmitMs?: number;
  /** Part of new connections that dies: one half is reset, the other never answered. Default: a fifth of `share`. */
  readonly deadShare?: number;
}

/** What becomes of a new connection. `delayMs`: its SYN was lost. */
export type ConnectionFate = { readonly type: 'lives'; readonly delayMs: number } | { readonly type: 'reset' | 'mute' };

/** First time-out of a SYN, in ms (RFC 6298). */
const SYN_RETRANSMIT_MS = 1_000;
/** Nothing is lost more often than this in a row: it would be a partition. */
const MOST_LOSSES = 5;

/** Decides what is lost. */
export class LossyNetwork {
  readonly #loss: Required<Loss>;
  readonly #random: () => number;

  /** @throws RangeError for a share that is none */
  constructor(loss: Loss) {
    if (!(loss.share >= 0 && loss.share <= 0.9)) throw new RangeError(`share (${loss.share}) must be from 0 to 0.9`);
    this.#loss = { retransmitMs: 200, deadShare: loss.share / 5, ...loss };
    this.#random = seededRandom(loss.seed);
  }

  /** How much later a chunk arrives, in ms; 0: at once. */
  chunkDelayMs(): number {
    return this.#retransmissions(this.#loss.retransmitMs);
  }

  connectionFate(): ConnectionFate {
    const { deadShare } = this.#loss;
    const drawn = this.#random();
    if (drawn < deadShare) return { type: drawn < deadShare / 2 ? 'reset' : 'mute' };
    return { type: 'lives', delayMs: this.#retransmissions(SYN_RETRANSMIT_MS) };
  }

  #retransmissions(firstMs: number): number {
    let losses = 0;
    while (losses < MOST_LOSSES && this.#random() < this.#loss.share) losses += 1;
    return firstMs * (2 ** losses - 1);
  }
}

/** Uniform in [0, 1) from a seed (mulberry32, Tommy Ettinger): good enough to decide what is lost. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

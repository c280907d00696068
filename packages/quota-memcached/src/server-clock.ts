/**
 * The clock of a memcached, read more finely than it tells it. The server says whole seconds only. Each answer narrows the
 * difference between its clock and ours to an interval: it said S after the question was sent, so its clock was not yet at S + 1
 * then, and it was at S before the answer came. The answers that agree are intersected, so some of them give the
 * difference to within milliseconds. When an answer does not fit (one of the clocks was set), it alone counts.
 */
export class ServerClock {
  #leastMs = Number.NEGATIVE_INFINITY;
  #mostMs = Number.POSITIVE_INFINITY;

  /**
   * Takes an answer into account.
   * @param seconds what the server said, in seconds since 1970.
   * @param sentMs our time when it was asked, in ms since 1970.
   * @param receivedMs our time when it had answered.
   */
  learn(seconds: number, sentMs: number, receivedMs: number): void {
    const least = seconds * 1000 - receivedMs;
    const most = (seconds + 1) * 1000 - sentMs;
    if (least > this.#mostMs || most < this.#leastMs) {
      this.#leastMs = least;
      this.#mostMs = most;
      return;
    }
    this.#leastMs = Math.max(this.#leastMs, least);
    this.#mostMs = Math.min(this.#mostMs, most);
  }

  /** The earliest that the server's time can be when ours is `nowMs`, in ms; ours before the first answer. */
  earliest(nowMs: number): number {
    return this.#leastMs === Number.NEGATIVE_INFINITY ? nowMs : nowMs + this.#leastMs;
  }

  /** The server's time when ours is `nowMs`, in ms, as well as it is known; ours before the first answer. */
  at(nowMs: number): number {
    if (this.#leastMs === Number.NEGATIVE_INFINITY) return nowMs;
    return Math.round(nowMs + (this.#leastMs + this.#mostMs) / 2);
  }
}

/** Response headers with their bytes kept: values are latin1 strings, whatever encoding a server put into metadata. */
export class ResponseHeaders {
  readonly #values = new Map<string, string>();

  /** @param raw names and values in turns, as undici hands them over. */
  constructor(raw: readonly (Buffer | string)[]) {
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const name = latin1(raw[index]).toLowerCase();
      const value = latin1(raw[index + 1]);
      const before = this.#values.get(name);
      this.#values.set(name, before === undefined ? value : `${before}, ${value}`);
    }
  }

  /** @param name in lower case. */
  get(name: string): string | null {
    return this.#values.get(name) ?? null;
  }

  /** A whole number ≥ 0; null when absent or not one. */
  integer(name: string): number | null {
    const value = this.#values.get(name);
    return value !== undefined && /^\d{1,16}$/.test(value) ? Number(value) : null;
  }

  /** A date in ms since 1970; null when absent or not one. */
  dateMs(name: string): number | null {
    const time = Date.parse(this.#values.get(name) ?? '');
    return Number.isNaN(time) ? null : time;
  }

  /** All headers, in the order that they came. */
  entries(): IterableIterator<[name: string, value: string]> {
    return this.#values.entries();
  }
}

function latin1(part: Buffer | string | undefined): string {
  return typeof part === 'string' ? part : (part?.toString('latin1') ?? '');
}

/** Most that is kept of an unfinished line; an event that is longer is not looked at. */
const MAX_LINE = 65_536;

/** Reads the usage out of a stream of server-sent events that passes by. */
export class UsageMeter {
  readonly #decoder = new TextDecoder();
  #line = '';
  #tokens = 0;

  /** Tokens used so far, prompt included; 0 before the first report. */
  get tokens(): number {
    return this.#tokens;
  }

  /** @param chunk bytes as they come; events may be cut anywhere. */
  read(chunk: Uint8Array): void {
    const lines = (this.#line + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#line = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) {
      const tokens = tokensOf(line);
      // Reports are totals; a line that is none changes nothing.
      if (tokens !== undefined) this.#tokens = Math.max(this.#tokens, tokens);
    }
  }
}

function tokensOf(line: string): number | undefined {
  if (!line.startsWith('data: {')) return undefined;
  const usage = member(parse(line.slice('data: '.length)), 'usage');
  const prompt = member(usage, 'prompt_tokens');
  const completion = member(usage, 'completion_tokens');
  if (typeof prompt !== 'number' || typeof completion !== 'number') return undefined;
  return Number.isSafeInteger(prompt + completion) ? prompt + completion : undefined;
}

function member(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object'
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

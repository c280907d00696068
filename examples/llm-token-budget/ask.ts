/** What is asked of a model. */
export interface Ask {
  readonly prompt: string;
  /** Longest answer in tokens. */
  readonly max_tokens: number;
}

/** Reads a request's body; `undefined` when it asks nothing that can be answered. */
export function askOf(body: string): Ask | undefined {
  const ask = parse(body);
  if (ask === null || typeof ask !== 'object' || !('prompt' in ask) || !('max_tokens' in ask)) return undefined;
  const { prompt, max_tokens: most } = ask;
  if (typeof prompt !== 'string' || prompt === '') return undefined;
  if (typeof most !== 'number' || !Number.isSafeInteger(most) || most < 1) return undefined;
  return { prompt, max_tokens: most };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

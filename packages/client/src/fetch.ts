/**
 * The part of the Fetch API that the client uses. The global `fetch` of browsers and of Node fits; so does a wrapper
 * or a test double. Declared here so that programs without DOM types can use this package.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  credentials: 'same-origin';
  redirect: 'manual';
}

export interface FetchAnswer {
  /** HTTP status; 0 where a browser hides a redirect. */
  readonly status: number;
  readonly headers: { get(name: string): string | null; getSetCookie?(): string[] };
  text(): Promise<string>;
}

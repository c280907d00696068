/** What an agent saw of its grants: nothing is nearer to the truth of who might have spent what when. */
export type GrantEvent = {
  readonly agent: string;
  /** By the watcher's clock, in ms. */
  readonly atMs: number;
  readonly epoch: string;
  readonly windowNumber: number;
} & (
  | {
      /** An answer brought credits. */
      readonly type: 'granted';
      readonly creditBudget: number;
      /** From then on the agent charges nothing against it by itself; infinite without an end of its own. */
      readonly untilMs: number;
    }
  | {
      /** A heartbeat set out that reports the window: nothing is charged against it any more. */
      readonly type: 'ended';
      readonly chargedOps: number;
    }
);

/** The part of an agent's fetch that is watched. */
export type WatchedFetch<Init extends { body?: string }, Answer extends { status: number; text(): Promise<string> }> = (
  url: string,
  init: Init,
) => Promise<Answer>;

/** Paths whose answers bring grants. */
const GRANTING = /\/api\/v1\/agent\/(heartbeat|claims)$/;

/**
 * Wraps the fetch of one agent and tells of each grant that reaches it and of each window that it reports as ended.
 * @param now a clock that all watchers of a fleet share, in ms: `machineMs` across processes
 */
export function watchGrants<Init extends { body?: string }, Answer extends { status: number; text(): Promise<string> }>(
  fetch: WatchedFetch<Init, Answer>,
  agent: string,
  now: () => number,
  tell: (event: GrantEvent) => void,
): WatchedFetch<Init, Answer> {
  return async (url, init) => {
    if (!GRANTING.test(url)) return fetch(url, init);
    const askedAtMs = now();
    const { usage } = parts(init.body ?? '{}', 'usage');
    if (usage !== null) {
      const { epoch, windowNumber, chargedOps } = usage;
      tell({ type: 'ended', agent, atMs: askedAtMs, epoch, windowNumber, chargedOps });
    }
    const answer = await fetch(url, init);
    const text = await answer.text();
    const { grant } = answer.status === 200 ? parts(text, 'grant') : { grant: null };
    if (grant !== null) {
      const { epoch, windowNumber, creditBudget, validSeconds } = grant;
      const untilMs = validSeconds === undefined ? Number.POSITIVE_INFINITY : askedAtMs + validSeconds * 1_000;
      tell({ type: 'granted', agent, atMs: now(), epoch, windowNumber, creditBudget, untilMs });
    }
    return Object.defineProperty(answer, 'text', { value: async () => text });
  };
}

/** Monotonic clock of this machine, the same in all its processes, in ms. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

interface Named {
  readonly epoch: string;
  readonly windowNumber: number;
}

interface WireParts {
  readonly usage: (Named & { readonly chargedOps: number }) | null;
  readonly grant: (Named & { readonly creditBudget: number; readonly validSeconds?: number }) | null;
}

function parts<Name extends keyof WireParts>(text: string, name: Name): Pick<WireParts, Name> {
  const parsed: unknown = JSON.parse(text);
  const part: unknown =
    typeof parsed === 'object' && parsed !== null && name in parsed ? Reflect.get(parsed, name) : null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- agent and console have checked it against the protocol
  return { [name]: part ?? null } as Pick<WireParts, Name>;
}

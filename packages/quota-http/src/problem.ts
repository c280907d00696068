import type { Decision } from '@weir/quota';
import { fieldText } from './structured-fields.ts';

/** Content type of `QuotaProblem` (RFC 9457). */
export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

const PROBLEM_TYPES = 'https://iana.org/assignments/http-problem-types#';

/** What a refused request is answered with: RFC 9457, with the types of draft-ietf-httpapi-ratelimit-headers-11, section 5. */
export interface QuotaProblem {
  readonly type: string;
  readonly title: string;
  /** 429: a quota is used up. 503: the store does not answer, and the outage policy of the quota refuses. */
  readonly status: 429 | 503;
  /** For people: each quota, what it lacks, and when to come back. */
  readonly detail: string;
  /** Names of the quotas that refused, as in `RateLimit-Policy`. */
  readonly 'violated-policies': readonly string[];
  /** As `Retry-After`; absent when a later repetition would be refused, too: the request alone costs more than a quota. */
  readonly retryAfterSeconds?: number;
  /** The same as a time, RFC 3339 in UTC. */
  readonly retryAt?: string;
}

/** A quota that refused. */
export interface Refusal {
  readonly name: string;
  readonly decision: Decision;
}

/** Whether a decision was made because the store did not answer. */
export function isOutage({ source }: Decision): boolean {
  return source.startsWith('outage-');
}

/** Describes a refusal. @param refusals at least one. */
export function quotaProblem(refusals: readonly Refusal[]): QuotaProblem {
  // Who is refused by a quota that was counted has exceeded it, whatever else is out of order.
  const outage = refusals.every(({ decision }) => isOutage(decision));
  const retry = retryOf(refusals);
  const sentences = [...refusals.map(sentenceOf), ...(retry === undefined ? [] : [whenToRetry(retry)])];
  return {
    type: `${PROBLEM_TYPES}${outage ? 'temporary-reduced-capacity' : 'quota-exceeded'}`,
    title: outage
      ? 'Request cannot be satisfied due to temporary server capacity constraints'
      : 'Request cannot be satisfied as assigned quota has been exceeded',
    status: outage ? 503 : 429,
    detail: sentences.join(' '),
    'violated-policies': refusals.map(({ name }) => fieldText(name)),
    ...retry,
  };
}

type Retry = Required<Pick<QuotaProblem, 'retryAfterSeconds' | 'retryAt'>>;

/** When the last of the refusing quotas may admit; `undefined` when one of them never will. */
function retryOf(refusals: readonly Refusal[]): Retry | undefined {
  if (refusals.some(({ decision }) => decision.cost > decision.limit)) return undefined;
  const retryAfterMs = Math.max(0, ...refusals.map(({ decision }) => decision.retryAfterMs));
  const retryAtMs = Math.max(...refusals.map(({ decision }) => decision.takenAt + decision.retryAfterMs));
  return { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000), retryAt: new Date(retryAtMs).toISOString() };
}

function sentenceOf({ name, decision }: Refusal): string {
  const { used, limit, cost } = decision;
  const quota = `Quota ${JSON.stringify(fieldText(name))}`;
  if (cost > limit)
    return `${quota} allows ${limit} in a period and this request costs ${cost}, so it is never admitted.`;
  if (isOutage(decision)) return `${quota} cannot be checked at the moment.`;
  return `${quota} has ${used} of ${limit} used and this request costs ${cost}.`;
}

function whenToRetry({ retryAfterSeconds, retryAt }: Retry): string {
  return `Come back in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}, at ${retryAt}.`;
}

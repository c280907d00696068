import { periodAt, QuotaError } from '@weir/quota';
import type { Decision, Quota, Quotas } from '@weir/quota';
import { isOutage, quotaProblem } from './problem.ts';
import type { QuotaProblem } from './problem.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import type { HeaderDraft, HeaderFields, PolicyState, QuotaUnit } from './rate-limit-headers.ts';
import { fieldInteger } from './structured-fields.ts';

/** What a framework calls a handler with; the first is the request (Hono: the context). */
export type Call = readonly [request: object, ...rest: unknown[]];

/** How clients see a quota. */
export interface Appearance {
  readonly quota: Quota;
  /** Default its id. */
  readonly name?: string;
  /** Told in `RateLimit-Policy`; default `requests`. */
  readonly unit?: QuotaUnit;
  /** Told as the partition key `pk`; must hold nothing secret. Default none. */
  readonly partition?: (subject: string) => string;
}

/** What one request is charged. The functions may be asynchronous; what they throw goes to the framework's error handling. */
export interface Charge<C extends Call> extends Appearance {
  /** Whom to charge; `undefined`: this request is not charged to this quota. */
  readonly subject: (...call: C) => string | undefined | Promise<string | undefined>;
  /** What the request costs, a positive whole number; default 1. */
  readonly cost?: number | ((...call: C) => number | Promise<number>);
}

/** Several quotas, all or none: a refused request is charged to none of them. */
export interface Charges<C extends Call> {
  /** The engine of the quotas. */
  readonly quotas: Quotas;
  /** 1 to 100. */
  readonly charges: readonly Charge<C>[];
}

/** How quotas guard requests: one charge, or several with their engine. */
export type GateOptions<C extends Call> = (Charge<C> | Charges<C>) & {
  /** Which headers tell the quotas, default `draft-11`. */
  readonly headers?: HeaderDraft;
};

/** The answer to one request. */
export interface Admission {
  readonly allowed: boolean;
  /** One per charge that applied; for refunds. */
  readonly decisions: readonly Decision[];
  /** To set on the response, of all gates that the request has passed; a refusal has `Retry-After`. */
  readonly headers: HeaderFields;
  /** What to answer instead of calling the handler; `undefined` when allowed. */
  readonly problem: QuotaProblem | undefined;
}

/** Charges requests. */
export interface Gate<C extends Call> {
  /** @throws {QuotaError} as `Quota.take`; whatever `subject` and `cost` throw. */
  admit(...call: C): Promise<Admission>;
}

interface Charged<C extends Call> {
  readonly charge: Charge<C>;
  readonly subject: string;
  readonly cost: number;
}

interface Taken {
  readonly decisions: readonly Decision[];
  /** Indices of the decisions that refused. */
  readonly refused: readonly number[];
}

/** Every gate that a request passes adds to what its response tells. */
interface Passed {
  readonly states: readonly PolicyState[];
  readonly admission: Admission;
}

const passed = new WeakMap<object, Passed>();

/**
 * What the gates decided about a request so far: headers of all, decisions of all. `undefined` before the first gate.
 * @param request what the framework hands to handlers: request, or Hono's context.
 */
export function admissionOf(request: object): Admission | undefined {
  return passed.get(request)?.admission;
}

/**
 * The part of the adapters that knows no framework.
 * @throws {QuotaError} `invalid-argument` when there is nothing to charge.
 */
export function openGate<C extends Call>(options: GateOptions<C>): Gate<C> {
  const charges = 'charges' in options ? options.charges : [options];
  if (charges.length === 0) throw new QuotaError('invalid-argument', 'a gate has at least one charge');
  const draft = options.headers ?? 'draft-11';
  return {
    async admit(...call) {
      const charged = (await Promise.all(charges.map((charge) => chargeOf(charge, call)))).filter(
        (item) => item !== undefined,
      );
      const taken = await takeOf('charges' in options ? options.quotas : undefined, charged);
      return conclude(call[0], charged, taken, draft);
    },
  };
}

async function chargeOf<C extends Call>(charge: Charge<C>, call: C): Promise<Charged<C> | undefined> {
  const subject = await charge.subject(...call);
  if (subject === undefined) return undefined;
  const cost = typeof charge.cost === 'function' ? await charge.cost(...call) : (charge.cost ?? 1);
  return { charge, subject, cost };
}

async function takeOf<C extends Call>(quotas: Quotas | undefined, charged: readonly Charged<C>[]): Promise<Taken> {
  const [first, second] = charged;
  if (first === undefined) return { decisions: [], refused: [] };
  // A single take is coalesced with others of its tick; a group is not.
  if (second === undefined || quotas === undefined) {
    const decision = await first.charge.quota.take(first.subject, first.cost);
    return { decisions: [decision], refused: decision.allowed ? [] : [0] };
  }
  return quotas.takeAll(charged.map(({ charge, subject, cost }) => ({ quota: charge.quota, subject, cost })));
}

function conclude<C extends Call>(
  request: object,
  charged: readonly Charged<C>[],
  { decisions, refused }: Taken,
  draft: HeaderDraft,
): Admission {
  const before = passed.get(request);
  const outcomes = decisions.flatMap((decision, index) => {
    const charge = charged[index]?.charge;
    return charge === undefined ? [] : [{ charge, decision, refused: refused.includes(index) }];
  });
  const states = [...(before?.states ?? []), ...statesOf(outcomes)];
  const admission: Admission = {
    ...tell(states, outcomes, draft),
    decisions: [...(before?.admission.decisions ?? []), ...decisions],
  };
  passed.set(request, { states, admission });
  return admission;
}

/** How one decision came out, and how it is shown. */
interface Outcome {
  readonly charge: Appearance;
  readonly decision: Decision;
  readonly refused: boolean;
}

/**
 * The answer to a decision that was made without a gate, by `take` or `reserve`: headers, and the problem when it refused.
 * @param charge the quota of the decision, and how clients see it.
 */
export function answerTo(
  charge: Appearance,
  decision: Decision,
  headers: HeaderDraft = 'draft-11',
): Omit<Admission, 'decisions'> {
  const outcomes = [{ charge, decision, refused: !decision.allowed }];
  return tell(statesOf(outcomes), outcomes, headers);
}

function tell(
  states: readonly PolicyState[],
  outcomes: readonly Outcome[],
  draft: HeaderDraft,
): Omit<Admission, 'decisions'> {
  const refusals = outcomes
    .filter(({ refused }) => refused)
    .map(({ charge, decision }) => ({ name: nameOf(charge), decision }));
  const problem = refusals.length === 0 ? undefined : quotaProblem(refusals);
  const retry = problem?.retryAfterSeconds;
  return {
    allowed: problem === undefined,
    headers: {
      ...rateLimitHeaders(states, draft),
      ...(retry === undefined ? {} : { 'Retry-After': fieldInteger(retry) }),
    },
    problem,
  };
}

/** A quota in shadow is tried out: clients must not slow down for it. */
function statesOf(outcomes: readonly Outcome[]): PolicyState[] {
  return outcomes.filter(({ charge }) => !charge.quota.rules.shadow).map(stateOf);
}

function stateOf({ charge, decision, refused }: Outcome): PolicyState {
  const { quota, unit, partition } = charge;
  const { resetAt, takenAt, limit, subject, retryAfterMs } = decision;
  // During an outage nobody knows what is left. Refused means: nothing until the store is asked again.
  const blind = refused && isOutage(decision);
  return {
    name: nameOf(charge),
    limit,
    remaining: blind ? 0 : decision.remaining,
    windowSeconds: windowSecondsOf(quota, resetAt),
    resetSeconds: Math.ceil((blind ? retryAfterMs : resetAt - takenAt) / 1_000),
    refused,
    unit,
    partition: partition?.(subject),
  };
}

interface Window {
  readonly resetAt: number;
  readonly seconds: number;
}

/** The last window of each quota: in zones with clock changes it takes some 50 µs to work out, and it holds for a period. */
const windows = new WeakMap<Quota, Window>();

/** The length of the period itself: months, and days on which the clocks change, differ. */
function windowSecondsOf(quota: Quota, resetAt: number): number {
  const known = windows.get(quota);
  if (known?.resetAt === resetAt) return known.seconds;
  const { startMs, endMs } = periodAt(quota.rules.length, quota.rules.zone, resetAt - 1);
  const seconds = Math.ceil((endMs - startMs) / 1_000);
  windows.set(quota, { resetAt, seconds });
  return seconds;
}

function nameOf({ name, quota }: Appearance): string {
  return name ?? quota.id;
}

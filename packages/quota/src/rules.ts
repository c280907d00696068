import { DEFAULT_IPV6_PREFIX } from './addresses.ts';
import { defaultMarginMs, MAX_MARGIN_MS } from './deadlines.ts';
import { QuotaError } from './errors.ts';
import { escapeText } from './key-text.ts';
import { MAX_QUOTA_ID_BYTES } from './keys.ts';
import {
  CLOCK_UNIT_MS,
  MAX_CLOCK_PERIOD_MS,
  nominalLengthMs,
  type PeriodLength,
  type PeriodUnit,
} from './period-lengths.ts';
import type { StoreProfile } from './store.ts';
import { zoneNamed, type Zone } from './zones.ts';

/**
 * What a quota decides while the store does not answer.
 *
 * - `closed`: refuses. Never more than the limit, whatever happens.
 * - `open`: admits.
 * - `local-share`: admits up to `limit / servers` per subject and period in this process.
 * - `last-known`: goes on from the last total that this process saw.
 */
export type OutagePolicy = 'open' | 'closed' | 'local-share' | 'last-known';

/** The limit of a subject: a number, or a function of the subject (its plan). 0 refuses everything. */
export type Limit = number | ((subject: string) => number | Promise<number>);

/** What a user writes. */
export interface QuotaDefinition {
  /** Names the quota in keys, metrics and headers; at most 64 bytes when escaped. */
  readonly id: string;
  /** Most that a subject may take in a period. */
  readonly limit: Limit;
  /** `'day'`, or N of a unit: `{ unit: 'minute', count: 15 }`. Anchored to the calendar of `zone`; weeks begin on Monday. */
  readonly period: PeriodUnit | PeriodLength;
  /** IANA zone of the calendar, default `UTC`. */
  readonly zone?: string;
  /** How long a counter outlives its period, in ms: 1,000 to 86,400,000; default the larger of 60 s and 10 % of the period. */
  readonly marginMs?: number;
  /** Whose clock says which period it is: this host's (default), or the store's, asked every 30 s. */
  readonly clock?: 'local' | 'store';
  /** `approximate` accepts a store that loses updates; every decision then says so in `source`. Default `exact`. */
  readonly accuracy?: 'exact' | 'approximate';
  /** Counts and reports, never refuses. Default false. */
  readonly shadow?: boolean;
  /** `address`: subjects are network addresses, IPv6 cut to `ipv6Prefix`. Default `text`. */
  readonly subjects?: 'text' | 'address';
  /** Bits of an IPv6 address that are one subject, 1 to 128, default 64. */
  readonly ipv6Prefix?: number;
  /** Default `closed`. */
  readonly outage?: OutagePolicy;
  /** Longest that a decision waits for the store, in ms: 1 to 60,000, default 500. */
  readonly budgetMs?: number;
  /** Processes that share the limit, for `local-share`. */
  readonly servers?: number;
  /** Draw blocks of this size and spend them in this process; default none. */
  readonly lease?: number;
  /** A refusal is repeated without asking the store for this long, in ms; 0: never, Infinity: until the period ends; default 1,000. */
  readonly denyRecheckMs?: number;
  /** Lets subjects reserve: how long a reservation may stay unsettled, in ms, 1,000 to 86,400,000. */
  readonly reservationMs?: number;
}

/** A checked definition with its defaults. */
export interface QuotaRules {
  readonly id: string;
  readonly limit: Limit;
  readonly length: PeriodLength;
  readonly zone: Zone;
  readonly marginMs: number;
  readonly storeClock: boolean;
  readonly shadow: boolean;
  readonly ipv6Prefix: number | undefined;
  readonly outage: OutagePolicy;
  readonly budgetMs: number;
  readonly servers: number;
  readonly lease: number;
  readonly denyRecheckMs: number;
  readonly reservationMs: number | undefined;
}

const UNITS: readonly PeriodUnit[] = ['second', 'minute', 'hour', 'day', 'week', 'month'];
const POLICIES: readonly OutagePolicy[] = ['open', 'closed', 'local-share', 'last-known'];
const DAY_MS = 86_400_000;

/** Longest period in nominal days: ten years. */
const MAX_PERIOD_DAYS = 3_660;

const KNOWN = new Set([
  'id',
  'limit',
  'period',
  'zone',
  'marginMs',
  'clock',
  'accuracy',
  'shadow',
  'subjects',
  'ipv6Prefix',
  'outage',
  'budgetMs',
  'servers',
  'lease',
  'denyRecheckMs',
  'reservationMs',
]);

/**
 * Checks a definition against the store that will count it.
 * @throws {QuotaError} `invalid-quota` with everything that is wrong in `problems`; `store-refused` when the definition is
 *   right but the store loses updates and `accuracy` is not `approximate`.
 */
export function checkDefinition(definition: QuotaDefinition, profile: StoreProfile): QuotaRules {
  const problems = [...idProblems(definition), ...periodProblems(definition), ...otherProblems(definition)];
  const zone = zoneOf(definition, problems);
  if (problems.length > 0 || zone === undefined) {
    const name = typeof definition.id === 'string' ? definition.id : '?';
    throw new QuotaError('invalid-quota', `quota ${JSON.stringify(name)}: ${problems.join('; ')}`, { problems });
  }
  if (!profile.exact && definition.accuracy !== 'approximate') {
    throw new QuotaError(
      'store-refused',
      `quota ${JSON.stringify(definition.id)}: this store (${profile.mechanism}) can neither increment nor compare and swap, so ` +
        'it loses updates and admits more than the limit; write accuracy: "approximate" to accept that',
    );
  }
  const length = lengthOf(definition);
  return {
    id: definition.id,
    limit: definition.limit,
    length,
    zone,
    marginMs: definition.marginMs ?? defaultMarginMs(nominalLengthMs(length)),
    storeClock: definition.clock === 'store',
    shadow: definition.shadow ?? false,
    ipv6Prefix: definition.subjects === 'address' ? (definition.ipv6Prefix ?? DEFAULT_IPV6_PREFIX) : undefined,
    outage: definition.outage ?? 'closed',
    budgetMs: definition.budgetMs ?? 500,
    servers: definition.servers ?? 1,
    lease: definition.shadow === true ? 0 : (definition.lease ?? 0),
    denyRecheckMs: definition.denyRecheckMs ?? 1_000,
    reservationMs: definition.reservationMs,
  };
}

/** A limit that a plan gave must be a whole number from 0 to 2^53 - 1. */
export function isLimit(limit: unknown): limit is number {
  return typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 0;
}

function lengthOf({ period }: QuotaDefinition): PeriodLength {
  return typeof period === 'string' ? { unit: period, count: 1 } : period;
}

function idProblems(definition: QuotaDefinition): string[] {
  const problems = Object.keys(definition)
    .filter((name) => !KNOWN.has(name))
    .map((name) => `there is no setting ${JSON.stringify(name)}`);
  if (typeof definition.id !== 'string' || definition.id === '')
    problems.push('id must be a text of at least one character');
  else if (escapeText(definition.id).length > MAX_QUOTA_ID_BYTES) {
    problems.push(`id must have at most ${MAX_QUOTA_ID_BYTES} bytes when escaped`);
  }
  if (typeof definition.limit !== 'function' && !isLimit(definition.limit)) {
    problems.push('limit must be a whole number from 0 to 2^53 - 1, or a function of the subject');
  }
  return problems;
}

function periodProblems(definition: QuotaDefinition): string[] {
  const { unit, count } = lengthOf(definition) ?? {};
  if (!UNITS.includes(unit)) return [`period must be one of ${UNITS.join(', ')}, or { unit, count } of one`];
  if (!Number.isSafeInteger(count) || count < 1) return ['the count of a period must be a whole number of at least 1'];
  const length = { unit, count };
  if (CLOCK_UNIT_MS[unit] !== undefined && nominalLengthMs(length) > MAX_CLOCK_PERIOD_MS) {
    return ['a period in seconds, minutes or hours is at most 7 days long; count longer ones in days'];
  }
  if (nominalLengthMs(length) > MAX_PERIOD_DAYS * DAY_MS) return ['a period is at most ten years long'];
  return [];
}

function zoneOf(definition: QuotaDefinition, problems: string[]): Zone | undefined {
  try {
    return zoneNamed(definition.zone ?? 'UTC');
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** What may be a whole number within bounds, or absent. */
const NUMBERS = [
  ['marginMs', 1_000, MAX_MARGIN_MS, 'a counter without a margin may be gone before the last take of its period'],
  ['ipv6Prefix', 1, 128, 'an IPv6 address has 128 bits'],
  ['budgetMs', 1, 60_000, 'a take must not wait longer than a minute'],
  ['servers', 1, 1_000_000, 'it divides the limit'],
  ['lease', 1, Number.MAX_SAFE_INTEGER, 'it is an amount'],
  ['reservationMs', 1_000, DAY_MS, 'an unsettled reservation blocks its amount that long'],
] as const;

function otherProblems(definition: QuotaDefinition): string[] {
  const problems: string[] = [];
  for (const [name, least, most, why] of NUMBERS) {
    const value = definition[name];
    if (value === undefined || (Number.isSafeInteger(value) && value >= least && value <= most)) continue;
    problems.push(`${name} must be a whole number from ${least} to ${most}: ${why}`);
  }
  const choices = [
    ['clock', ['local', 'store']],
    ['accuracy', ['exact', 'approximate']],
    ['subjects', ['text', 'address']],
    ['outage', POLICIES],
    ['shadow', [true, false]],
  ] as const;
  for (const [name, allowed] of choices) {
    const value = definition[name];
    if (value === undefined || allowed.some((choice) => choice === value)) continue;
    problems.push(`${name} must be one of ${allowed.map((choice) => JSON.stringify(choice)).join(', ')}`);
  }
  const recheck = definition.denyRecheckMs ?? 0;
  if (!(recheck >= 0)) problems.push('denyRecheckMs must be a number of ms from 0 to Infinity');
  if (definition.outage === 'local-share' && definition.servers === undefined) {
    problems.push('outage "local-share" needs servers: how many processes share the limit');
  }
  if (typeof definition.limit === 'number' && definition.lease !== undefined && definition.lease > definition.limit) {
    problems.push('lease must not be larger than the limit');
  }
  return problems;
}

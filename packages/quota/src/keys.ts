import { escapeText, unescapeText } from './key-text.ts';
import { sha256Hex } from './sha256.ts';

/*
 * A key:   wq1:<quota>:{<subject>}:<period>                 the counter
 *          wq1:<quota>:{<subject>}:<kind>:<rest>            what belongs to it: once, refund, holds, reset
 *
 * `wq1` is the version of this schema. Quota and subject are escaped, braces among the escaped characters, so no two pairs of
 * quota and subject share a key. The braces make the subject the hash tag of a Redis Cluster: all keys of one subject live on
 * one node. A period begins with a digit and a kind does not. No key is longer than 250 bytes: an escaped text that
 * is too long keeps its beginning, for people, and ends in `~` and its SHA-256; `~` occurs in no other key.
 */

/** First part of every key of this version of the schema. */
export const KEY_SCHEMA = 'wq1';

/** Longest key in bytes: what memcached allows. */
export const MAX_KEY_BYTES = 250;

/** Longest escaped quota id in bytes. */
export const MAX_QUOTA_ID_BYTES = 64;

const MAX_SUBJECT_BYTES = 100;
const MAX_REST_BYTES = 65;
const KEPT_CHARACTERS = 24;

/** What a key that is no counter is for. */
export type CompanionKind = 'once' | 'refund' | 'holds' | 'reset';

/** `wq1:<quota>:{<subject>}:`, to which a period id is appended to name a counter. */
export function keyPrefix(quotaId: string, subject: string): string {
  return `${KEY_SCHEMA}:${escapeText(quotaId)}:{${shortened(escapeText(subject), MAX_SUBJECT_BYTES)}}:`;
}

/** The key of the counter of this quota, subject and period. */
export function counterKey(quotaId: string, subject: string, periodId: string): string {
  return keyPrefix(quotaId, subject) + periodId;
}

/** The key of something that belongs to a subject's counters. `prefix` is from `keyPrefix`; `rest` may be any text. */
export function companionKey(prefix: string, kind: CompanionKind, rest: string): string {
  return `${prefix}${kind}:${shortened(escapeText(rest), MAX_REST_BYTES)}`;
}

/** What a key names. */
export interface KeyName {
  readonly quotaId: string;
  /** The subject; of a shortened one only its beginning. */
  readonly subject: string;
  /** The subject was too long, only its beginning and its hash are in the key. */
  readonly shortened: boolean;
  readonly kind: 'counter' | CompanionKind;
  /** The period id of a counter; the rest of another key, still escaped. */
  readonly rest: string;
}

const KEY = /^wq1:([^{}]*):\{([^{}]+)\}:(?:(\d.*)|(once|refund|holds|reset):(.*))$/;

/** Reads a key; `undefined` when it is none of this schema. */
export function parseKey(key: string): KeyName | undefined {
  const found = KEY.exec(key);
  if (found === null) return undefined;
  const [, quota = '', written = '', period, kind, rest = ''] = found;
  const quotaId = unescapeText(quota);
  const hashAt = /~[0-9a-f]{64}$/.exec(written)?.index;
  const subject = unescapeText(hashAt === undefined ? written : written.slice(0, hashAt));
  if (quotaId === undefined || subject === undefined) return undefined;
  const name = { quotaId, subject, shortened: hashAt !== undefined };
  return period === undefined ? { ...name, kind: kindOf(kind), rest } : { ...name, kind: 'counter', rest: period };
}

function kindOf(text: string | undefined): CompanionKind {
  return text === 'once' || text === 'refund' || text === 'holds' ? text : 'reset';
}

function shortened(escaped: string, maxBytes: number): string {
  if (escaped.length <= maxBytes) return escaped;
  const kept = maxBytes - 65 < KEPT_CHARACTERS ? 0 : KEPT_CHARACTERS;
  let beginning = escaped.slice(0, kept);
  // Cut between characters, so that the beginning can be read back.
  while (beginning !== '' && unescapeText(beginning) === undefined) beginning = beginning.slice(0, -1);
  return `${beginning}~${sha256Hex(escaped)}`;
}

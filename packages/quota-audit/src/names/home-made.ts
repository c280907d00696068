import { findStamps, tellingStamp, type Stamp, type StampReading } from '../periods/stamps.ts';
import type { CounterName, Reading } from './counter-name.ts';

/*
 * Names that no limiter we know writes. A home-made counter is recognised by the period in its name or by a word that limiters
 * use. One such name proves nothing (`user:20240115`, `event:2026-05-01:seats`), so names are gathered in families, and the tally
 * decides about the family when all of it has been seen: see `findings/belief.ts`.
 */

const WORD =
  /(?:^|[^A-Za-z])(rate[_-]?limit(?:er|ers|s|ing)?|limiter|limits?|throttle[drs]?|throttling|quotas?|attempts?|hits|requests?|reqs?|calls|usage|used|counters?|count|consumed|spent)(?![A-Za-z])/i;

/** Words that say it without a period beside them. */
const STRONG_WORD =
  /(?:^|[^A-Za-z])(rate[_-]?limit(?:er|ers|s|ing)?|limiter|throttle[drs]?|throttling|quotas?|attempts?)(?![A-Za-z])/i;

const HEAD = /^[^:/|._{-]*[:/|._{-]?/;

/** Longest beginning of a key that names its family, in characters. */
const MAX_HEAD = 48;

/** Reads a key as that of a home-made counter; `undefined` when nothing in it says so. */
export function readHomeMade(key: string, reading: StampReading): Reading | undefined {
  const stamp = tellingStamp(findStamps(key, reading));
  if (stamp === undefined) return wordedOnly(key);
  const stamped = readStamped(key, stamp);
  if (stamped.is !== 'contrary' || stamped.evidence === 'stamp') return stamped;
  // A number that is no time is an id, and the key may be a counter all the same.
  const worded = wordedOnly(key);
  if (worded === undefined) return stamped;
  const { family, evidence } = stamped;
  return { ...worded, contrary: { family, evidence } };
}

function wordedOnly(key: string): (Reading & { is: 'counter' }) | undefined {
  const word = STRONG_WORD.exec(key);
  if (word === null) return undefined;
  const name: CounterName = {
    family: `${headOf(key, word)}*`,
    evidence: 'word',
    distinctive: false,
    worded: true,
    subject: key.slice(headLength(key, word)),
  };
  return { is: 'counter', name };
}

function readStamped(key: string, stamp: Stamp): (Reading & { is: 'counter' }) | (Reading & { is: 'contrary' }) {
  const word = WORD.exec(key);
  const before = key.slice(0, stamp.index);
  const after = key.slice(stamp.index + stamp.length);
  const kind = stamp.strong ? stamp.unit : 'number';
  const head = headOf(before, word);
  const middle = before.length > headLength(before, word) ? '*' : '';
  const family = `${head}${middle}<${kind}>${after === '' ? '' : '*'}`;
  const evidence = stamp.strong ? 'stamp' : 'weak-stamp';
  // An unaligned number of seconds says little: without a word beside it, it is an id.
  if (!stamp.plausible || (stamp.unit === 'window' && word === null)) return { is: 'contrary', family, evidence };
  const { startMs, endMs, civil } = stamp;
  const name: CounterName = {
    family,
    evidence,
    distinctive: false,
    worded: word !== null,
    subject: (before.slice(headLength(before, word)) + after).replaceAll(/^[:/|_{}-]+|[:/|_{}-]+$/g, ''),
    period: { startMs, endMs, civil },
  };
  return { is: 'counter', name };
}

/** The beginning that names a family: up to the limiter's word when there is one, else the first part of the name. */
function headLength(text: string, word: RegExpExecArray | null): number {
  if (word !== null && word.index + word[0].length <= Math.min(text.length, MAX_HEAD)) {
    const end = word.index + word[0].length;
    return end + (end < text.length ? 1 : 0);
  }
  return Math.min(HEAD.exec(text)?.[0].length ?? 0, MAX_HEAD);
}

/** How a name begins, for people: its first part, with ids left out. */
export function headOf(text: string, word: RegExpExecArray | null = null): string {
  // Ids in the beginning must not make a family of each key.
  return text.slice(0, headLength(text, word)).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,}|\d+/gi, '#');
}

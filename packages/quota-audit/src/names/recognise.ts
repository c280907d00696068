import type { StampReading } from '../periods/stamps.ts';
import type { Reading } from './counter-name.ts';
import { findStamps, tellingStamp } from '../periods/stamps.ts';
import { matchesGlob } from './glob.ts';
import { readHomeMade } from './home-made.ts';
import { readKnownFamily } from './known-families.ts';

/** How names are read. */
export interface Recognising extends StampReading {
  /** Patterns of names that the user says are counters. */
  readonly claimed: readonly string[];
}

/** Longest name that is read, in characters: no limiter writes longer ones, and patterns over them take time. */
const MAX_NAME = 2_048;

/** Reads a key's name; `undefined` when it says nothing about a counter. Pure. */
export function recognise(key: string, recognising: Recognising): Reading | undefined {
  if (key.length > MAX_NAME) return undefined;
  return readKnownFamily(key, recognising) ?? readClaimed(key, recognising) ?? readHomeMade(key, recognising);
}

function readClaimed(key: string, recognising: Recognising): Reading | undefined {
  const pattern = recognising.claimed.find((glob) => matchesGlob(glob, key));
  if (pattern === undefined) return undefined;
  const stamp = tellingStamp(findStamps(key, recognising).filter(({ plausible }) => plausible));
  const name = { family: pattern, evidence: 'claimed', distinctive: true, worded: true, subject: key } as const;
  if (stamp === undefined) return { is: 'counter', name };
  const { startMs, endMs, civil } = stamp;
  return { is: 'counter', name: { ...name, period: { startMs, endMs, civil } } };
}

import type { EarlierChange, VersionedGovernorSettings } from '@weir/protocol';
import { etagOf } from '../validation/etag.ts';
import { ConsoleError } from './console-error.ts';

/** Settings as callers are told them. */
export function withEtag(settings: VersionedGovernorSettings): VersionedGovernorSettings {
  return { ...settings, etag: etagOf(settings) };
}

/**
 * Refuses a save that was made from another state than the present one, so that nobody's change is lost without a word.
 * @param ifMatch undefined: the caller does not compare, and the last one wins
 * @param what is saved, as the message names it: `these settings`
 * @throws ConsoleError changed-meanwhile
 */
export function requireMadeFrom(ifMatch: string | undefined, present: EarlierChange, what: string): void {
  if (ifMatch === undefined || ifMatch === etagOf(present)) return;
  const { version, changedBy, changedAtMs } = present;
  const when = new Date(changedAtMs).toISOString();
  throw new ConsoleError(
    'changed-meanwhile',
    `${changedBy} changed ${what} at ${when} (version ${version}): read them again, and save what is still wanted.`,
    { changed: { version, changedBy, changedAtMs } },
  );
}

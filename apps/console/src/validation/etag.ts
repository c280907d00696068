import type { EarlierChange } from '@weir/protocol';

/**
 * What tells one state of a document from all others. Not the version alone: a database that is put back from a backup goes through
 * the same versions again, with other contents. Version 0 are the defaults, whenever a console says so.
 */
export function etagOf({ version, changedAtMs }: Pick<EarlierChange, 'version' | 'changedAtMs'>): string {
  return version === 0 ? '0' : `${version}-${changedAtMs}`;
}

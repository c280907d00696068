import { ASSIGNMENT_NEEDS, assignmentNeed, PROTOCOL_VERSION, type AssignmentNeed } from '@weir/protocol';

/** What a job or the settings ask of agents, as the end of "it needs …". */
const NEEDS: Readonly<Record<AssignmentNeed, string>> = {
  'clean-up': 'the removal of unfinished uploads',
  filter: 'a filter',
  'dry-run': 'a dry run',
  'listing-check': 'a check by listing',
  'server-side-copy': 'a copy by the server itself',
  manifest: 'a manifest',
  'part-sizes': 'part sizes of its own',
  'request-costs': 'costs per request',
  pacing: 'pacing',
};

/** `a filter, a dry run and a manifest`. */
export function needList(needs: readonly AssignmentNeed[]): string {
  const words = needs.map((need) => NEEDS[need]);
  const last = words.pop() ?? '';
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`;
}

/** What to know about an agent that speaks another version than the console, in a few words; null for the same one. */
export function versionWords(version: number): string | null {
  if (version === PROTOCOL_VERSION) return null;
  return version > PROTOCOL_VERSION ? `protocol ${version}, update the console` : `protocol ${version}, update`;
}

/** What agents of a version are not given, as the end of "they get no job that needs …"; empty: they are given all. */
export function withheldFrom(version: number): string {
  return needList(assignmentNeed.options.filter((need) => ASSIGNMENT_NEEDS[need] > version));
}

import { ASSIGNMENT_NEEDS, assignmentNeed, PROTOCOL_VERSION, type AssignmentNeed } from '@weir/protocol';

/** What a job or the settings ask of agents, as the end of "it needs …". */
const NEEDS: Readonly<Record<AssignmentNeed, string>> = {
  'clean-up': 'the removal of unfinished uploads',
  filter: 'its filter',
  'dry-run': 'a dry run',
  'listing-check': 'a check by listing',
  'server-side-copy': 'a copy by the server itself',
  manifest: 'a manifest',
  'part-sizes': 'its part sizes',
  'request-costs': 'costs per request',
  pacing: 'pacing',
};

/** `its filter, a dry run and a manifest`. */
export function needList(needs: readonly AssignmentNeed[]): string {
  const words = needs.map((need) => NEEDS[need]);
  const last = words.pop() ?? '';
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`;
}

/** What to know about an agent that speaks another version than the console; null for the same one. */
export function versionWords(version: number): string | null {
  if (version === PROTOCOL_VERSION) return null;
  if (version > PROTOCOL_VERSION) return `protocol ${version}, newer than this console: update the console`;
  const unknown = assignmentNeed.options.filter((need) => ASSIGNMENT_NEEDS[need] > version);
  return `protocol ${version}, update: gets no job that needs ${needList(unknown)}`;
}

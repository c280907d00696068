/**
 * What becomes of one key of a job: the target prefix takes the place of the source prefix, letter by letter. Shown as an
 * example, because a prefix looks like a folder and is none: `mine` makes `minelogs/a`, and `2024` leaves `/logs/a`.
 */
export function keyExample(sourcePrefix: string, targetPrefix: string): { from: string; to: string } {
  const rest = sourcePrefix === '' || sourcePrefix.endsWith('/') ? 'logs/a.gz' : '/logs/a.gz';
  return { from: sourcePrefix + rest, to: targetPrefix + rest };
}

/**
 * Reads a column that this program wrote as JSON. The database is refused at start when it is damaged or foreign, so the
 * text is taken to have the shape that its column always has.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the column decides, not an argument
export function fromJson<T>(text: string): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the store that reads it
  return JSON.parse(text) as T;
}

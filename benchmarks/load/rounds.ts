/** Something that is measured once a round. */
export interface Cell<T> {
  readonly label: string;
  readonly measure: () => Promise<T>;
}

/**
 * Measures every cell in every round, each round in another order, so that no contestant always runs after the same one, and
 * whatever else the machine does hits all of them.
 * @param blocks cells that are compared with each other stand in one block and run close together.
 * @returns per cell, by its label, the results of its rounds in order.
 */
export async function inRounds<T>(
  rounds: number,
  blocks: readonly (readonly Cell<T>[])[],
  progress: (text: string) => void,
): Promise<Map<string, T[]>> {
  const results = new Map<string, T[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const block of blocks) {
      for (let index = 0; index < block.length; index += 1) {
        // Forwards, backwards, from the middle …: rotated, and turned round in every second round.
        const shifted = (index + Math.floor((round * block.length) / rounds)) % block.length;
        const cell = block[round % 2 === 0 ? shifted : block.length - 1 - shifted];
        if (cell === undefined) continue;
        progress(`round ${round + 1} of ${rounds}: ${cell.label}`);
        const result = await cell.measure();
        results.set(cell.label, [...(results.get(cell.label) ?? []), result]);
      }
    }
  }
  return results;
}

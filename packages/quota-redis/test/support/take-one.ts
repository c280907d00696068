import type { Draw, Drawn, Store } from '@weir/quota';

/** Draws once. @throws what the draw failed with */
export async function takeOne(store: Store, one: Draw): Promise<Drawn> {
  const [drawn] = await store.take([one]);
  if (drawn === undefined || drawn instanceof Error) throw drawn ?? new Error('no answer');
  return drawn;
}

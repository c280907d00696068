import { commonLength, pointsOf, textOf } from './key-space.ts';
import type { KeySpace } from './key-space.ts';
import { compareUtf8 } from './utf8-order.ts';

/** A stretch of a listing that was read: what lies between two keys, and how many pages that was. */
export interface ReadStretch {
  from: string;
  to: string;
  pages: number;
}

/**
 * A text that lies about so many pages behind a stretch, if keys go on as densely as in it; null when the key space
 * ends before. Wrong guesses cost a request or an uneven split, never a key.
 */
export function textBehind(space: KeySpace, stretch: ReadStretch, pages: number, prefix: string): string | null {
  const from = pointsOf(stretch.from);
  const to = pointsOf(stretch.to);
  const lowest = Math.min(commonLength(from, to), pointsOf(prefix).length);
  // Within what the stretch has in common the place may lie beyond the end, as 1,200 does among three digits: then one
  // more position is taken into account.
  for (let base = commonLength(from, to); base >= lowest; base--) {
    const end = space.place(to, base, 'possible');
    const step = (end - space.place(from, base, 'possible')) * (pages / Math.max(1, stretch.pages));
    if (end + step >= 1 || step <= 0) continue;
    const text = textOf(space.textAt(end + step, to.slice(0, base), step / 16));
    if (compareUtf8(text, stretch.to) > 0) return text;
  }
  return null;
}

/** About how many pages lie between the end of a stretch and a bound, if keys go on as densely; 0 or more. */
export function pagesUpTo(space: KeySpace, stretch: ReadStretch, bound: string): number {
  const from = pointsOf(stretch.from);
  const to = pointsOf(stretch.to);
  const end = pointsOf(bound);
  const base = Math.min(commonLength(from, to), commonLength(to, end));
  const read = space.place(to, base, 'likely') - space.place(from, base, 'likely');
  const left = space.place(end, base, 'likely') - space.place(to, base, 'likely');
  return (Math.max(0, left) / Math.max(read, Number.EPSILON)) * stretch.pages;
}

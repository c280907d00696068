/** Characters that take two cells of a terminal: most of East Asia's, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** Marks that take no cell, and signs that change the direction of what follows: a name must not rearrange the screen. */
const INVISIBLE = /[\p{Cc}\p{Cf}]/gu;

/** Cells of a terminal that a text takes. */
export function cellsOf(text: string): number {
  let cells = 0;
  for (const character of text) cells += WIDE.test(character) ? 2 : /\p{Mn}/u.test(character) ? 0 : 1;
  return cells;
}

/** A text in exactly `width` cells: shortened with an ellipsis, or padded at the end (`left`) or the beginning (`right`). */
export function fit(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  let shown = text.replaceAll(INVISIBLE, '');
  if (cellsOf(shown) > width) {
    let kept = '';
    for (const character of shown) {
      if (cellsOf(kept) + cellsOf(character) > width - 1) break;
      kept += character;
    }
    shown = width > 0 ? `${kept}…` : '';
  }
  const padding = ' '.repeat(Math.max(0, width - cellsOf(shown)));
  return align === 'left' ? shown + padding : padding + shown;
}

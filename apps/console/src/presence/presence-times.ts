/** How often a console says that it is there, in ms. */
export const BEAT_MS = 5_000;
/** How soon it tries again when that failed, in ms. */
export const BEAT_AGAIN_MS = 1_000;
/** After how long a silence a console is missing, in ms: three beats. */
export const MISSING_AFTER_MS: number = 3 * BEAT_MS;
/** How long a console that fell silent stays on the list, in ms: a day. */
export const LISTED_FOR_MS: number = 24 * 3_600_000;
/** Consoles that the list holds at most; the one that was silent for longest goes first. */
export const MAX_LISTED = 64;

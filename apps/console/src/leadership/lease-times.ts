/** How long the lease lasts when it is not renewed, in ms. */
export const LEASE_MS = 3_000;
/** How often the leader renews it. */
export const RENEW_MS = 1_000;
/** How soon it tries again when that failed. */
export const RENEW_AGAIN_MS = 200;
/**
 * How long a leader takes the lease for proven, from the moment at which it asked for it: shorter than the lease by more
 * than the time between two looks, so that others can tell from a look that its holder does not lead any more.
 */
export const PROVEN_MS = 2_300;
/** How often a standby looks, with up to as much again at random: consoles that start together do not stay in step. */
export const LOOK_MS = 400;
export const LOOK_JITTER_MS = 200;
/** After a term could not be opened, in ms: soon while the database is away, else after others had their chance. */
export const OPEN_AGAIN_MS = 300;
export const LEAVE_TO_OTHERS_MS = 1_500;

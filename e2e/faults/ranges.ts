/* Default, least and most of what scripts are told in numbers; scripts/usage tells the defaults. */

/** Flags of `npm run chaos`. */
export const CHAOS_RANGES = {
  kills: [20, 0, 1_000],
  agents: [50, 1, 200],
  consoles: [3, 1, 9],
  'outage-seconds': [60, 0, 600],
  'window-seconds': [2, 1, 30],
  limit: [400, 100, 100_000],
  objects: [400, 1, 100_000],
  seed: [Math.trunc(Math.random() * 2 ** 31), 0, 2 ** 32 - 1],
} as const;

/** Flags of `npm run soak`. */
export const SOAK_RANGES = {
  minutes: [30, 1, 1_440],
  agents: [10, 1, 200],
  consoles: [1, 1, 9],
  'window-seconds': [1, 1, 300],
  limit: [200, 100, 100_000],
  objects: [200, 1, 100_000],
  'sample-seconds': [0, 0, 600],
} as const;

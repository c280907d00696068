/** Objects and limit of the two ways to run the demo: to be watched, and to be checked. */
export const PRESETS = {
  watched: { objects: 30_000, limitTps: 300 },
  checked: { objects: 6_000, limitTps: 200 },
} as const;

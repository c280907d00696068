import { defineConfig } from 'vitest/config';

// Tests run on the sources: the "@weir/source" export condition maps every workspace package to its src/. Packages from npm are
// loaded by Node itself, which knows "import" and "require" on its own: added here, "module" would bring files meant for
// bundlers, and "import" ES modules where CommonJS code calls `require`.
const conditions = ['@weir/source', 'node'];
const resolve = { conditions };
const ssr = { resolve: { conditions, externalConditions: conditions } };

// Where real servers, processes and browsers share a small machine, a test may fail once for want of time. It gets one more try,
// and `npm test` names each that needed it: such a test is to be mended. Unit tests get none: nothing in them depends on time.
const SECOND_TRY = 1;

/** Tests of the whole product that say how long something may take. */
const TIMED = ['e2e/monitor.test.ts', 'e2e/fleet-changes.test.ts', 'e2e/faults/chaos.test.ts'];
const e2e = { testTimeout: 300_000, hookTimeout: 300_000, retry: SECOND_TRY };

export default defineConfig({
  resolve,
  ssr,
  test: {
    // Two files at a time: much of an integration test is waiting for servers, and more would starve them on two cores.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{packages,apps}/*/test/unit/**/*.test.{ts,tsx}'],
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['{packages,apps}/*/test/integration/**/*.test.ts', 'examples/*/test/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          retry: SECOND_TRY,
        },
      },
      {
        extends: true,
        test: {
          ...e2e,
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: [...TIMED, '**/node_modules/**'],
        },
      },
      {
        extends: true,
        test: {
          ...e2e,
          name: 'e2e-timed',
          include: TIMED,
          // A whole fleet, and bounds in seconds: one file at a time keeps a two-core machine honest.
          fileParallelism: false,
        },
      },
    ],
  },
});

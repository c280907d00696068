export { describeStore } from './suite.ts';
export type { Faults, Harness, SuiteOptions } from './harness.ts';

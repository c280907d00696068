export { MemoryBackend, OpaqueStore, type OpaqueBackend, type Versioned } from './cas-example.ts';
export type { Faults, Harness, SuiteOptions } from './harness.ts';
export { describeStore } from './suite.ts';

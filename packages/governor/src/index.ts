export * from './cost-model.ts';
export * from './credit-window.ts';
export type { AbortSource } from './parking-queue.ts';

export * from './deadlines.ts';
export * from './errors.ts';
export * from './host.ts';
export * from './memory-store.ts';
export * from './stepwise.ts';
export type * from './store.ts';

export * from './deadlines.ts';
export * from './errors.ts';
export type * from './store.ts';

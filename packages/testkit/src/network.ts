/** A TCP proxy that breaks connections as networks do. */
export * from './network/fault-proxy.ts';
export { seededRandom, type Loss } from './network/loss.ts';

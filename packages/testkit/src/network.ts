/** A TCP proxy that breaks connections as networks do, and ports for servers that are started again. */
export * from './network/fault-proxy.ts';
export { seededRandom, type Loss } from './network/loss.ts';
export { freePorts } from './network/free-ports.ts';

/** A TCP proxy that breaks connections as networks do. */
export * from './network/fault-proxy.ts';

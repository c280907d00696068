import type { OpenLimiter } from './limiter.ts';
import { fastifyRateLimit, flexible, naive, rateLimitRedis } from './peers.ts';
import { weir } from './weir.ts';

/** Takes of one lease. */
const LEASE = 1_000;

/** A row of the tables. */
export interface Contestant {
  readonly name: string;
  readonly client: 'node-redis' | 'ioredis';
  readonly open: OpenLimiter;
}

/** Every limiter over every client that it supports. The first two are Weir as it is by default. */
export const contestants: readonly Contestant[] = [
  { name: 'Weir', client: 'node-redis', open: weir('node-redis') },
  { name: 'Weir', client: 'ioredis', open: weir('ioredis') },
  { name: 'Weir, fastPath', client: 'node-redis', open: weir('node-redis', { fastPath: true }) },
  { name: 'Weir, fastPath', client: 'ioredis', open: weir('ioredis', { fastPath: true }) },
  { name: `Weir, lease ${LEASE}`, client: 'node-redis', open: weir('node-redis', { lease: LEASE }) },
  { name: 'rate-limiter-flexible', client: 'node-redis', open: flexible('node-redis') },
  { name: 'rate-limiter-flexible', client: 'ioredis', open: flexible('ioredis') },
  { name: 'rate-limit-redis', client: 'node-redis', open: rateLimitRedis('node-redis') },
  { name: 'rate-limit-redis', client: 'ioredis', open: rateLimitRedis('ioredis') },
  { name: '@fastify/rate-limit store', client: 'ioredis', open: fastifyRateLimit },
  { name: 'INCR + EXPIRE', client: 'node-redis', open: naive('node-redis') },
  { name: 'INCR + EXPIRE', client: 'ioredis', open: naive('ioredis') },
];

export function labelOf({ name, client }: Contestant): string {
  return `${name} (${client})`;
}

/** Part of every key that the contestant writes, and of no other. */
export function markOf(contestant: Contestant): string {
  return `b${String(contestants.indexOf(contestant)).padStart(2, '0')}`;
}

/** For what does not depend on the client: every limiter once. */
export const oneClientEach: readonly Contestant[] = contestants.filter(
  ({ name }, index) => contestants.findIndex((other) => other.name === name) === index,
);

export function isDefaultWeir(contestant: Contestant): boolean {
  return contestant.name === 'Weir';
}

/** The peer that the targets name. */
export function isBase(contestant: Contestant): boolean {
  return contestant.name === 'rate-limiter-flexible';
}

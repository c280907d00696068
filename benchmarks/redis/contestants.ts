import type { ClientChoice } from './clients.ts';
import type { OpenLimiter } from './limiter.ts';
import { fastifyRateLimit, flexible, naive, rateLimitRedis } from './peers.ts';
import { weir } from './weir.ts';

/** Takes of one lease. */
const LEASE = 1_000;

/** A row of the tables. */
export interface Contestant {
  readonly name: string;
  readonly client: ClientChoice;
  readonly open: OpenLimiter;
}

const nodeRedis: ClientChoice = { library: 'node-redis', tuned: false };
const nodeRedisTuned: ClientChoice = { library: 'node-redis', tuned: true };
const ioRedis: ClientChoice = { library: 'ioredis', tuned: false };
const ioRedisTuned: ClientChoice = { library: 'ioredis', tuned: true };

/** The same limiter over several clients. */
function over(
  name: string,
  clients: readonly ClientChoice[],
  open: (choice: ClientChoice) => OpenLimiter,
): Contestant[] {
  return clients.map((client) => ({ name, client, open: open(client) }));
}

/** Weir needs no tuned client: it switches node-redis' time-out off for its own commands, and writes once a tick over ioredis. */
export const contestants: readonly Contestant[] = [
  ...over('Weir', [nodeRedis, ioRedis], (client) => weir(client)),
  ...over('Weir, fastPath', [nodeRedis, ioRedis], (client) => weir(client, { fastPath: true })),
  ...over(`Weir, lease ${LEASE}`, [nodeRedis], (client) => weir(client, { lease: LEASE })),
  ...over('rate-limiter-flexible', [nodeRedis, nodeRedisTuned, ioRedis, ioRedisTuned], flexible),
  ...over('rate-limit-redis', [nodeRedis, nodeRedisTuned, ioRedis], rateLimitRedis),
  ...over('@fastify/rate-limit store', [ioRedis], fastifyRateLimit),
  ...over('INCR + EXPIRE', [nodeRedis, nodeRedisTuned, ioRedis], naive),
];

const TUNED = { 'node-redis': 'no time-out', ioredis: 'auto-pipelining' };

export function labelOf({ name, client: { library, tuned } }: Contestant): string {
  return `${name} (${library}${tuned ? `, ${TUNED[library]}` : ''})`;
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

export function isLeasedWeir(contestant: Contestant): boolean {
  return contestant.name.startsWith('Weir, lease');
}

/** The peer that the targets name. */
export function isBase(contestant: Contestant): boolean {
  return contestant.name === 'rate-limiter-flexible';
}

/** The peer that the targets name, over a client with its default options. */
export function isPlainBase(contestant: Contestant): boolean {
  return isBase(contestant) && !contestant.client.tuned;
}

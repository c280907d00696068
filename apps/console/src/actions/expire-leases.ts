import { leaseMs, type ConsoleContext } from './context.ts';
import { returnLeases } from './return-leases.ts';

/** Takes back the shards of leases without a report for three windows: their agents are gone, or never got them. */
export async function expireLeases(context: ConsoleContext): Promise<void> {
  const overdue = context.leases.overdue(context.clock.steadyMs(), leaseMs(context));
  const returned = await returnLeases(context, overdue, 'no report for three windows');
  if (returned > 0) context.count('lease-lapsed', returned);
}

import type { MonitorEvent } from '@weir/protocol';
import { formatCount, formatPercent, formatPlural, formatSetPercent, formatTps } from '../format/numbers.ts';
import { formatDuration } from '../format/time.ts';

/** What happened, in one line. */
export function eventTitle(event: MonitorEvent): string {
  switch (event.kind) {
    case 'limit-changed':
      return `Global limit ${event.toTps < event.fromTps ? 'lowered' : 'raised'} from ${formatTps(event.fromTps)} to ${formatTps(event.toTps)} TPS`;
    case 'limiter-switched':
      return `TPS limiting switched ${event.on ? 'on' : 'off'}`;
    case 'alarm-raised':
      return `Alarm ${event.code} raised: utilization above ${formatSetPercent(event.threshold)}`;
    case 'alarm-ended':
      return event.endedBy === 'cleared' ? `Alarm ${event.code} cleared` : `Alarm ${event.code} ended by itself`;
    case 'holdoff':
      return `${agentsNamed(event)} in holdoff after 503 SlowDown`;
    case 'agents-joined':
      return `${agentsNamed(event)} joined`;
    case 'agents-left':
      return `${agentsNamed(event)} left`;
    case 'console-started':
      return 'The console was started';
    default:
      return event satisfies never;
  }
}

/** What follows from it, or more figures; null where the title says everything. */
export function eventDetail(event: MonitorEvent): string | null {
  switch (event.kind) {
    case 'limit-changed':
    case 'limiter-switched':
      return 'In force for each agent from its next window on.';
    case 'alarm-ended':
      return `Highest utilization ${formatPercent(event.peakValue)}.`;
    case 'holdoff':
      return `${event.agents === 1 ? 'All its jobs pause' : 'All their jobs pause'} for up to ${formatDuration(event.longestMs)}.`;
    case 'console-started':
      return 'Allocations begin with an equal split and are right again within one window.';
    case 'agents-left':
      return 'No heartbeat for three windows, or revoked.';
    case 'alarm-raised':
    case 'agents-joined':
      return null;
    default:
      return event satisfies never;
  }
}

function agentsNamed({ agents, names }: { agents: number; names: readonly string[] }): string {
  const unnamed = agents - names.length;
  if (agents === 1) return names[0] ?? 'One agent';
  const list = names.join(', ');
  return unnamed > 0
    ? `${formatPlural(agents, 'agent')} (${list} and ${formatCount(unnamed)} more)`
    : `${formatPlural(agents, 'agent')} (${list})`;
}

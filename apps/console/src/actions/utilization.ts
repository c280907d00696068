import type { ConsoleContext } from './context.ts';

/** Sum of actual TPS over online running agents ÷ global limit, in percent. */
export function utilizationPercent(context: Pick<ConsoleContext, 'fleet' | 'governor'>): number {
  return (context.fleet.totalActualTps / context.governor.settings.globalLimitTps) * 100;
}

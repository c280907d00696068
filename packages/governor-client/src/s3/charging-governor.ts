import type { AgentGovernor } from '../agent-governor.ts';

/** What a governed client needs of a governor: an `AgentGovernor` fits. */
export type ChargingGovernor = Pick<AgentGovernor, 'charge' | 'startHoldoff'>;

export { AgentGovernor } from './agent-governor.ts';
export { GovernorStoppedError, type GovernorEvent } from './governor-events.ts';
export type { AgentGovernorOptions, GovernorStatus } from './governor-options.ts';
export type { HeartbeatLoopState, StartTimer } from './heartbeat-loop.ts';
export { heartbeatsOver, type HeartbeatTransport } from './transport.ts';

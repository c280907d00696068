import type { EnrolRequest, EnrolResponse } from '@weir/protocol';
import { storedPart } from '../fleet/live-agent.ts';
import type { StoredAgent } from '../ports/agent-store.ts';
import { digestOf } from '../security/digests.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import { momentOf, silenceMs, type ConsoleContext } from './context.ts';
import { requireProtocolVersion } from './protocol-version.ts';
import { returnLeases } from './return-leases.ts';

/** Name of the monitor's own row. */
const RESERVED_NAME = 'console';

/**
 * Makes an agent known and gives it its own credential. An agent that lost its credential enrols again under its name once
 * it counts as offline: it keeps its id and history, and the old credential ends.
 * @throws ConsoleError name-taken, too-many-agents, protocol-too-old
 */
export async function enrolAgent(context: ConsoleContext, request: EnrolRequest): Promise<EnrolResponse> {
  requireProtocolVersion(context, request.protocolVersion);
  const moment = momentOf(context);
  const namesake = context.fleet.findByName(request.name);
  if (request.name === RESERVED_NAME || (namesake && context.fleet.isOnline(namesake, moment.steadyMs))) {
    throw new ConsoleError('name-taken', `The name ${request.name} is in use: choose another one for this agent.`, {
      fields: [
        {
          field: 'name',
          value: request.name,
          problem: `is in use by ${namesake ? `an agent that was heard less than ${silenceMs(context) / 1_000} s ago` : 'the console'}`,
        },
      ],
    });
  }
  if (namesake === undefined) requireRoom(context);
  const credential = context.random.secret();
  const agent: StoredAgent = {
    ...(namesake
      ? storedPart(namesake)
      : { agentId: context.random.id('agt'), enrolledAtMs: moment.nowMs, holdoffCount: 0 }),
    name: request.name,
    host: request.host,
    version: request.version,
    protocolVersion: request.protocolVersion,
    limiter: true,
    revoked: false,
    credentialHash: digestOf(credential),
    lastHeartbeatAtMs: namesake?.lastHeartbeatAtMs ?? null,
    bootId: null,
    holdoffUntilMs: null,
  };
  // Taken in memory first: of two agents that enrol under one name at once, the second is refused.
  context.fleet.enrol(agent, moment);
  try {
    await save(context, agent, namesake !== undefined);
  } catch (error) {
    context.fleet.withdraw(agent.agentId, namesake);
    throw error;
  }
  if (namesake) await returnLeases(context, context.leases.heldBy(agent.agentId), 'agent enrolled anew');
  return { agentId: agent.agentId, credential, heartbeatSeconds: context.limits.windowSeconds };
}

/** Whoever has the enrolment token could otherwise fill memory and database with agents that never work. */
function requireRoom({ fleet, limits }: ConsoleContext): void {
  const enrolled = fleet.registeredSize;
  if (enrolled < limits.maxAgents) return;
  throw new ConsoleError(
    'too-many-agents',
    `This console has ${enrolled} agents, and its option maxAgents allows ${limits.maxAgents}: revoke those that are gone, or raise it.`,
  );
}

async function save(context: ConsoleContext, agent: StoredAgent, again: boolean): Promise<void> {
  await context.storage.transaction(async (stores) => {
    await (again ? stores.agents.save([agent]) : stores.agents.insert(agent));
    const detail = { name: agent.name, host: agent.host, again };
    const actor = `agent:${agent.agentId}`;
    await audit(context, stores, { actor, action: 'agent.enrol', subject: agent.agentId, detail });
  });
}

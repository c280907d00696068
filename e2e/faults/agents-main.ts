// Several agents in one process, for tests of whole fleets. Its options are the first argument, as JSON; it tells what the
// agents see as lines of JSON, and ends when its input does.
import type { Fetch } from '@weir/client';
import type { OperationGate } from '@weir/s3-copy';
import { machineMs, watchGrants } from '@weir/testkit/grants';
import { createAgentLog, startAgent } from '../../apps/agent/src/index.ts';
import { S3Engine } from '../../apps/agent/src/s3/s3-engine.ts';
import { realTiming } from '../../apps/agent/src/timing.ts';
import type { AgentNews, PackOptions } from './agent-pack.ts';

const OPS_EVERY_MS = 250;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parent writes it
const options = JSON.parse(process.argv[2] ?? '{}') as PackOptions;
const tell = (news: AgentNews): void => void process.stdout.write(`${JSON.stringify(news)}\n`);
const puts = new Map<string, number>();

const plainFetch: Fetch = (url, init) => globalThis.fetch(url, init);

/** Tells of grants, and of each heartbeat that was answered. */
function watchedFetch(agent: string): Fetch {
  const watched = watchGrants(plainFetch, agent, machineMs, tell);
  return async (url, init) => {
    const answer = await watched(url, init);
    if (url.endsWith('/heartbeat') && answer.status === 200) tell({ type: 'answered', agent, atMs: machineMs() });
    return answer;
  };
}

/** Counts the objects whose copy was admitted. */
function countingGate(agent: string, gate: OperationGate): OperationGate {
  const admitted = (operation: string, attempt: number): void => {
    if (operation === 'PutObject' && attempt === 0) puts.set(agent, (puts.get(agent) ?? 0) + 1);
  };
  return {
    charge: (operation, attempt, signal) => {
      const parked = gate.charge(operation, attempt, signal);
      if (parked === undefined) {
        admitted(operation, attempt);
        return undefined;
      }
      return parked.then((ms) => {
        admitted(operation, attempt);
        return ms;
      });
    },
  };
}

const { names, concurrency, ...agentOptions } = options;
const agents = await Promise.all(
  names.map((name) =>
    startAgent(
      { ...agentOptions, name, concurrency, stateDir: `${options.stateDir}/${name}`, slots: 1 },
      {
        fetch: watchedFetch(name),
        logger: createAgentLog('silent'),
        makeEngine: (gate) => new S3Engine({ gate: countingGate(name, gate), concurrency, timing: realTiming }),
      },
    ),
  ),
);
tell({ type: 'ready', agents: agents.map(({ agentId }) => agentId) });
const timer = setInterval(() => {
  for (const [agent, total] of puts) tell({ type: 'puts', agent, total, atMs: machineMs() });
  puts.clear();
}, OPS_EVERY_MS);
process.stdin.on('end', () => {
  clearInterval(timer);
  void Promise.all(agents.map((agent) => agent.stop())).then(() => process.exit(0));
});
process.stdin.resume();
for (const agent of agents) {
  void agent.done.then((end) => {
    if (end.reason === 'refused') tell({ type: 'refused', agent: agent.name, why: end.error.message });
  });
}

import type { Assignment } from '@weir/protocol';
import { claimWork, giveBack } from '../../actions/claim-work.ts';
import type { ConsoleContext } from '../../actions/context.ts';
import { enrolAgent } from '../../actions/enrol-agent.ts';
import { recordHeartbeat } from '../../actions/record-heartbeat.ts';
import { takeProgress } from '../../actions/report-progress.ts';
import { splitWork } from '../../actions/split-shard.ts';
import { agentOf, type Handlers } from '../call.ts';

/** What agents call. */
export function agentRoutes(
  context: ConsoleContext,
): Pick<Handlers, 'enrol' | 'heartbeat' | 'claim' | 'split' | 'progress'> {
  return {
    enrol: ({ body }) => enrolAgent(context, body),
    heartbeat: (call) => recordHeartbeat(context, agentOf(call), call.body),
    async claim(call) {
      const gone = new AbortController();
      let handedOut: Assignment | null = null;
      call.onUndelivered(() => {
        gone.abort();
        if (handedOut === null) return;
        giveBack(context, handedOut).catch((error: unknown) => {
          context.log.error({ error: String(error) }, 'an undelivered assignment could not be put back');
        });
      });
      const answer = await claimWork(context, agentOf(call), call.body.waitSeconds, gone.signal);
      handedOut = answer.assignment;
      return answer;
    },
    split: async (call) => ({
      work: await splitWork(context, agentOf(call).agentId, call.params.shardId, call.body),
    }),
    progress: (call) => takeProgress(context, agentOf(call), call.params.shardId, call.body),
  };
}

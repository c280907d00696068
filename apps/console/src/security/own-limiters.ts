import { MemoryStore, openQuotas, type Quota, type Quotas } from '@weir/quota';
import type { CallLimiter } from '../ports/call-limiter.ts';
import type { Clock } from '../ports/clock.ts';
import type { LoginLimiter } from '../ports/login-limiter.ts';
import { OWN_QUOTAS, type OwnQuota } from '../quotas/built-in.ts';
import type { SeenDecision } from '../quotas/usage-book.ts';
import { FewCalls } from './few-calls.ts';

/** Counters held at most; beyond it the ones that end first go, so that a flood of names cannot fill memory. */
const MAX_COUNTERS = 20_000;
/** Counters of agents: in a store of their own, since a large fleet would push the counters of logins out. */
const MAX_AGENTS = 200_000;

/** Calls of an agent in a minute before it has a counter; an ordinary one makes four, and one for each report on its ranges. */
const FEW_CALLS = 60;

/** Hears what was decided, for the Quotas page. `subject` is null where it is nobody's business. */
export type WatchOwnQuota = (quota: OwnQuota, subject: string | null, decision: SeenDecision) => void;

/**
 * The console limits itself with Weir's own quotas: in memory, per minute. Attempts to log in per address and per address and user,
 * and all calls per address, of agents per agent. A login that succeeds forgets the attempts of its pair, not those of its address.
 */
export function ownLimiters(clock: Clock, watch: WatchOwnQuota): { logins: LoginLimiter; calls: CallLimiter } {
  const quotas = openOwnQuotas(clock, MAX_COUNTERS);
  const ofAgents = openOwnQuotas(clock, MAX_AGENTS);
  const pair = define(quotas, 'login-user');
  const address = define(quotas, 'login-address');
  // Counters in this process are decided at once.
  const bounded = (id: OwnQuota, owner: Quotas): ((subject: string, calls?: number) => number | null) => {
    const quota = define(owner, id);
    return (subject, calls = 1) => {
      const decision = quota.takeNow(subject, calls);
      if (decision === undefined) return null;
      watch(id, decision.subject, decision);
      return decision.allowed ? null : Math.max(1, decision.retryAfterMs);
    };
  };
  const fewCalls = new FewCalls(FEW_CALLS, () => clock.steadyMs());
  const few = { allowed: true, wouldRefuse: false, used: 0, limit: OWN_QUOTAS['agent-calls'].limit, resetAt: 0 };
  const admitMany = bounded('agent-calls', ofAgents);
  return {
    logins: {
      attempt: async (from, username) => {
        const { allowed, decisions } = await quotas.takeAll([
          { quota: pair, subject: pairOf(from, username) },
          { quota: address, subject: from },
        ]);
        for (const decision of decisions) {
          // What was typed as a name may be a password in the wrong field.
          if (decision.quota === 'login-user') watch('login-user', null, decision);
          else watch('login-address', decision.subject, decision);
        }
        if (allowed) return null;
        return Math.max(1, ...decisions.filter((each) => !each.allowed).map((each) => each.retryAfterMs));
      },
      succeeded: (from, username) => pair.reset(pairOf(from, username)),
      close: async () => {
        await quotas.close();
        await ofAgents.close();
      },
    },
    calls: {
      admit: bounded('api-address', quotas),
      admitDescription: bounded('api-description', quotas),
      admitAgent: (agentId) => {
        const calls = fewCalls.add(agentId);
        if (calls > 0) return admitMany(agentId, calls);
        watch('agent-calls', null, few);
        return null;
      },
      admitEnrolment: bounded('agent-enrolments', quotas),
      admitWrongBearer: bounded('wrong-bearers', quotas),
    },
  };
}

function define(quotas: Quotas, id: OwnQuota): Quota {
  return quotas.define({ id, period: 'minute', ...OWN_QUOTAS[id] });
}

function openOwnQuotas(clock: Clock, maxEntries: number): Quotas {
  // The steady clock: setting the machine's clock back must not lengthen a refusal, nor a jump end it.
  const shared = {
    clock: () => clock.steadyMs(),
    timers: { set: (run: () => void, ms: number) => clock.after(ms, run) },
  };
  const store = new MemoryStore({ maxEntries, whenFull: 'evict', ...shared });
  return openQuotas({ store, healthEveryMs: 0, ...shared });
}

function pairOf(address: string, username: string): string {
  return JSON.stringify([address, username]);
}

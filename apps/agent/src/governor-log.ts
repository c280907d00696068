import type { GovernorEvent } from '@weir/governor-client';
import type { Logger } from 'pino';

/** Says in the log what happened to the agent's governor. */
export function logGovernorEvent(log: Logger, event: GovernorEvent): void {
  switch (event.type) {
    case 'granted': {
      const { windowNumber, allocatedTps, creditBudget } = event.grant;
      log.debug({ windowNumber, allocatedTps, creditBudget, by: event.by }, 'credits granted');
      break;
    }
    case 'limiter':
      log.info({ mode: event.mode }, event.mode === 'off' ? 'limiter off: running unthrottled' : 'limiter on');
      break;
    case 'epoch-changed':
      log.info({ from: event.from, to: event.to }, 'the console was restarted: following its new coordinator');
      break;
    case 'console-lost': {
      const error = event.error instanceof Error ? event.error.message : String(event.error);
      log.warn({ error, retryInMs: Math.round(event.retryInMs) }, 'heartbeat not answered');
      break;
    }
    case 'safe-rate':
      log.warn({ tps: event.tps }, 'no console answers: going on at the safe rate');
      break;
    case 'console-back':
      log.info({ lostMs: event.lostMs }, 'the console answers again');
      break;
    case 'holdoff-started':
      log.warn({ durationMs: event.durationMs, reason: event.reason, job: event.jobId }, 'holdoff: all jobs pause');
      break;
    case 'holdoff-ended':
      log.info('holdoff over: jobs go on');
      break;
    case 'fatal':
      log.error({ error: event.error.message }, 'heartbeat refused');
      break;
  }
}

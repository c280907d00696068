import type { ReactElement } from 'react';
import type { JobView, TroubleView } from '@weir/protocol';
import { Badge } from '../../components/badge.tsx';
import { Countdown } from '../../components/countdown.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatDuration } from '../../format/time.ts';
import { useNow } from '../../data/now.ts';

/** Shown where a job or an agent would look healthy: it wants to work and cannot. */
export function TroubleBadge({ troubles }: { troubles: readonly TroubleView[] }): ReactElement | null {
  const [longest] = troubles;
  return longest === undefined ? null : (
    <span title={longest.message}>
      <Badge tone="amber">Cannot go on: {longest.code}</Badge>
    </span>
  );
}

/** What keeps the agents of a job from going on, each with the time of its next try. */
export function JobTroubles({ job }: { job: JobView }): ReactElement | null {
  const now = useNow();
  if (job.troubles.length === 0) return null;
  const working = job.agents.length > new Set(job.troubles.map(({ agentId }) => agentId)).size;
  return (
    <Notice
      tone="amber"
      title={working ? 'Some agents of this job cannot go on' : 'The agents of this job cannot go on'}
      live
    >
      <ul>
        {job.troubles.map((trouble) => (
          <li key={`${trouble.agentId} ${trouble.code}`}>
            <strong>{trouble.agentName}</strong>, for {formatDuration(Math.max(0, now - trouble.sinceMs))}:{' '}
            <strong>{trouble.code}</strong> {trouble.message} {nextTry(trouble)}
          </li>
        ))}
      </ul>
      They go on by themselves once it works again. Without any progress for 15 minutes the job stops with this reason.
    </Notice>
  );
}

function nextTry({ nextRetryAtMs }: TroubleView): ReactElement | string {
  if (nextRetryAtMs === null) return 'It is being tried again.';
  return (
    <>
      Next try in <Countdown untilMs={nextRetryAtMs} />.
    </>
  );
}

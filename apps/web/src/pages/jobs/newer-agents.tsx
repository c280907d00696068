import type { ReactElement } from 'react';
import type { JobView } from '@weir/protocol';
import { Notice } from '../../components/notice.tsx';
import { needList } from '../../words/need-words.ts';

/** Says why nobody takes a job although agents are online: they would ignore what it asks for. */
export function WaitsForNewerAgents({ job }: { job: JobView }): ReactElement | null {
  if (!job.waitsForNewerAgents) return null;
  return (
    <Notice tone="amber" title="Waits for newer agents" live>
      It needs {needList(job.needs)}, and no agent that is online knows of that: they speak a protocol before version{' '}
      {job.needsVersion}. Update one agent, and it goes on by itself.
    </Notice>
  );
}

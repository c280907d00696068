/** What a new console still needs before a job runs. */
export interface StartState {
  agents: number;
  endpoints: number;
  jobs: number;
}

/** One step of the checklist. */
export interface StartStep {
  key: 'agent' | 'endpoint' | 'job';
  title: string;
  text: string;
  done: boolean;
}

/** Steps from an empty console to a running job, in order. */
export function startSteps({ agents, endpoints, jobs }: StartState): StartStep[] {
  return [
    {
      key: 'agent',
      title: 'Enrol an agent',
      text: 'Run one command on each machine that should copy. The agent appears here within seconds.',
      done: agents > 0,
    },
    {
      key: 'endpoint',
      title: 'Add the S3 servers',
      text: 'Source and target with their access keys. Each is tested before it is saved.',
      done: endpoints > 0,
    },
    {
      key: 'job',
      title: 'Create a copy job',
      text: 'Choose buckets and what to copy. Agents take it at once and share the global limit.',
      done: jobs > 0,
    },
  ];
}

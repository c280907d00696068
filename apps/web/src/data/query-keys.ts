/** Names of everything the pages keep from the console; the one place where keys are made. */
export const queryKeys = {
  info: ['info'],
  session: ['session'],
  monitor: ['monitor'],
  settings: ['settings'],
  agents: ['agents'],
  enrolment: ['enrolment'],
  endpoints: ['endpoints'],
  jobs: ['jobs'],
  job: (jobId: string): readonly string[] => ['jobs', jobId],
  jobFailures: (jobId: string): readonly string[] => ['jobs', jobId, 'failures'],
  alarms: ['alarms'],
} as const;

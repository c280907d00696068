/** Every option of an agent, and how it is given to `weir agent`: flags, variables and what errors call an option come from here. */
export const AGENT_OPTION_WAYS = {
  consoleUrls: { flag: '--console' },
  enrolmentToken: { flag: '--token', variable: 'WEIR_TOKEN' },
  stateDir: { flag: '--state-dir' },
  name: { flag: '--name' },
  slots: { flag: '--slots' },
  concurrency: { flag: '--concurrency' },
  holdoffMinSeconds: { flag: '--holdoff-seconds' },
  holdoffMaxSeconds: { flag: '--holdoff-seconds' },
  version: {},
} as const;

/** An option for people: by its name in code, and every way in which it can be given. */
export function namedAgentOption(option: keyof typeof AGENT_OPTION_WAYS): string {
  const { flag, variable }: { flag?: string; variable?: string } = AGENT_OPTION_WAYS[option];
  const given = [flag, variable].filter((way) => way !== undefined);
  return given.length === 0 ? option : `${option} (${given.join(', ')})`;
}

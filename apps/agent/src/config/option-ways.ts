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

/** What an agent does where an option is not given; told by the help of `weir agent`. */
export const AGENT_DEFAULTS = { slots: 4, concurrency: 256, holdoffMinSeconds: 30, holdoffMaxSeconds: 300 } as const;

/** The most that an option can be. */
export const AGENT_MOST = { slots: 64, concurrency: 10_000 } as const;

/** An option for people: by its name in code, and every way in which it can be given. */
export function namedAgentOption(option: keyof typeof AGENT_OPTION_WAYS): string {
  const { flag, variable }: { flag?: string; variable?: string } = AGENT_OPTION_WAYS[option];
  const given = [flag, variable].filter((way) => way !== undefined);
  return given.length === 0 ? option : `${option} (${given.join(', ')})`;
}

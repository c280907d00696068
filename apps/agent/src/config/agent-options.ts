import { hostname } from 'node:os';
import { displayName, MAX_CONSOLE_ADDRESSES } from '@weir/protocol';
import { AGENT_DEFAULTS, AGENT_MOST, namedAgentOption } from './option-ways.ts';

/** What an agent is started with. */
export interface AgentOptions {
  /**
   * Addresses of the console, `http://console.example:8080`, or of the consoles of one group: 1–16. The agent talks to the one
   * that answered last, and goes on to the next when that does not.
   */
  consoleUrls: readonly string[];
  /** Needed the first time an agent runs against a console; afterwards its own stored credential is used. */
  enrolmentToken?: string;
  /** Folder for the agent's credential; made when absent, readable by its owner only. */
  stateDir: string;
  /** Name that the console shows: 1–64 characters. Default: the name of this host. */
  name?: string;
  /** Shards that are copied at once: 1–64, default 4. */
  slots?: number;
  /** Objects that are copied at once, over all shards: 1–10,000, default 256. */
  concurrency?: number;
  /** Length of a holdoff is uniform between these, in seconds: 0–3,600, default 30 and 300. */
  holdoffMinSeconds?: number;
  holdoffMaxSeconds?: number;
  /** Version that the console shows; default `0.1.0`. */
  version?: string;
}

/** The options with defaults, known to be good. */
export interface AgentConfig extends Required<Omit<AgentOptions, 'enrolmentToken'>> {
  enrolmentToken: string | null;
}

/** One option that cannot be used: which, what was given (never a secret), and what would be right. */
export interface OptionProblem {
  option: keyof AgentOptions;
  value: string | null;
  problem: string;
}

/** The options cannot be used; lists everything that is wrong with them at once. */
export class AgentOptionsError extends Error {
  override readonly name = 'AgentOptionsError';
  readonly problems: readonly OptionProblem[];

  constructor(problems: readonly OptionProblem[]) {
    const lines = problems.map(({ option, value, problem }) => {
      return `${namedAgentOption(option)} ${problem}${value === null ? '' : ` (it is ${JSON.stringify(value)})`}`;
    });
    super(`the agent cannot start: ${lines.join('; ')}`);
    this.problems = problems;
  }
}

/**
 * Checks all options and fills in defaults.
 * @throws AgentOptionsError with every problem
 */
export function parseAgentOptions(options: AgentOptions): AgentConfig {
  const problems: OptionProblem[] = [];
  const refuse = (option: keyof AgentOptions, value: string | number | null, problem: string): void => {
    problems.push({ option, value: value === null ? null : String(value).slice(0, 100), problem });
  };
  const wholeNumber = (option: 'slots' | 'concurrency'): number => {
    const value = options[option] ?? AGENT_DEFAULTS[option];
    const max = AGENT_MOST[option];
    if (!Number.isInteger(value) || value < 1 || value > max)
      refuse(option, value, `must be a whole number from 1 to ${max}`);
    return value;
  };
  const seconds = (option: 'holdoffMinSeconds' | 'holdoffMaxSeconds'): number => {
    const value = options[option] ?? AGENT_DEFAULTS[option];
    if (!(value >= 0 && value <= 3_600)) refuse(option, value, 'must be a number of seconds from 0 to 3600');
    return value;
  };

  const consoleUrls = parseAddresses(options.consoleUrls, (problem) => refuse('consoleUrls', null, problem));
  if (options.enrolmentToken !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(options.enrolmentToken)) {
    refuse('enrolmentToken', null, 'must be the token from the Agents page, without spaces or line breaks');
  }
  if (options.stateDir === '') refuse('stateDir', null, 'must name a folder');
  const name = options.name ?? (hostname().slice(0, 64) || 'agent');
  const parsedName = displayName.safeParse(name);
  if (!parsedName.success) refuse('name', name, parsedName.error.issues[0]?.message ?? 'is not a name');
  const config: AgentConfig = {
    consoleUrls,
    enrolmentToken: options.enrolmentToken ?? null,
    stateDir: options.stateDir,
    name,
    slots: wholeNumber('slots'),
    concurrency: wholeNumber('concurrency'),
    holdoffMinSeconds: seconds('holdoffMinSeconds'),
    holdoffMaxSeconds: seconds('holdoffMaxSeconds'),
    version: options.version ?? '0.1.0',
  };
  if (config.holdoffMinSeconds > config.holdoffMaxSeconds) {
    refuse(
      'holdoffMinSeconds',
      config.holdoffMinSeconds,
      'must not be above holdoffMaxSeconds: the lower one comes first',
    );
  }
  if (problems.length > 0) throw new AgentOptionsError(problems);
  return config;
}

/** One spelling of each address, once. An address that is refused is told by its position: it may hold a password. */
function parseAddresses(addresses: readonly string[], refuse: (problem: string) => void): string[] {
  if (addresses.length === 0 || addresses.length > MAX_CONSOLE_ADDRESSES) {
    refuse(`must be 1 to ${MAX_CONSOLE_ADDRESSES} addresses of consoles, such as http://console.example:8080`);
  }
  const parsed = new Set<string>();
  addresses.forEach((address, index) => {
    const problem = problemWithAddress(address);
    if (problem === null) parsed.add(new URL(address).href.replace(/\/+$/, ''));
    else refuse(addresses.length === 1 ? problem : `number ${index + 1} of ${addresses.length} ${problem}`);
  });
  return [...parsed];
}

function problemWithAddress(address: string): string | null {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return 'must be the address of the console, such as http://console.example:8080';
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must start with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.search !== '' || url.hash !== '') return 'must not contain ? or #';
  return null;
}

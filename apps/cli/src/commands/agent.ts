import {
  AgentOptionsError,
  type Agent,
  type AgentOptions,
  createAgentLog,
  CredentialFileError,
  EnrolmentError,
  startAgent,
} from '@weir/agent';
import { AGENT_OPTION_WAYS } from '@weir/agent/options';
import { givenOptions } from './option-ways.ts';
import { CommandError, EXIT_CODES } from '../output/command-error.ts';
import { untilAskedToEnd } from '../output/run-until-signal.ts';
import type { Terminal } from '../output/terminal.ts';
import { VERSION } from '../version.ts';

/** Flags of `weir agent` that are looked at here; the others are options of the agent. */
export interface AgentFlags {
  /** Addresses of consoles of one group. */
  console: string[];
  holdoffSeconds?: [number, number];
  logLevel: string;
  endWithInput: boolean;
  json: boolean;
}

/** `weir agent`: runs until SIGINT or SIGTERM, then gives its work back and says goodbye. */
export async function agentCommand(flags: AgentFlags, terminal: Terminal): Promise<number> {
  const giveUp = new AbortController();
  const signalled = untilAskedToEnd(flags).then(() => giveUp.abort());
  let agent: Agent;
  try {
    agent = await startAgent(agentOptions(flags), { logger: createAgentLog(flags.logLevel), signal: giveUp.signal });
  } catch (error) {
    // Asked to end while it waited for a console: nothing was started, nothing is to be drained.
    if (giveUp.signal.aborted) return EXIT_CODES.ok;
    throw explained(error);
  }
  const worksFor = flags.console.join(',');
  if (flags.json) terminal.out(`${JSON.stringify({ event: 'started', console: worksFor, pid: process.pid })}\n`);
  else terminal.out(`The agent works for ${worksFor}. Ctrl-C ends it.\n`);
  const end = await Promise.race([agent.done, signalled.then(() => null)]);
  await agent.stop();
  if (end?.reason === 'refused') {
    if (end.revoked) throw revoked(end.error);
    throw new CommandError('refused', `the console does not accept this agent any more: ${end.error.message}`, {
      remedy: 'Start it with the enrolment token of the Agents page to enrol it again.',
      cause: end.error,
    });
  }
  return EXIT_CODES.ok;
}

function agentOptions({ holdoffSeconds, ...flags }: AgentFlags): AgentOptions {
  const { holdoffMinSeconds: _low, holdoffMaxSeconds: _high, ...ways } = AGENT_OPTION_WAYS;
  const [holdoffMinSeconds, holdoffMaxSeconds] = holdoffSeconds ?? [];
  const read = {
    ...givenOptions(ways, flags, process.env),
    version: VERSION,
    ...(holdoffMinSeconds === undefined ? {} : { holdoffMinSeconds, holdoffMaxSeconds }),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parseAgentOptions looks at each
  return read as unknown as AgentOptions;
}

/** Somebody took the credential away: starting it again as it is cannot help. */
function revoked(error: Error): CommandError {
  const reason = error.message.replace('the console does not accept this agent: ', '');
  return new CommandError('agent-revoked', `the console refuses this agent. ${reason}`, {
    remedy:
      'If that was meant, there is nothing to do. To let it work again, give it the enrolment token of the Agents page: ' +
      `${AGENT_OPTION_WAYS.enrolmentToken.variable}=… and the same command.`,
    exitCode: EXIT_CODES.revoked,
    cause: error,
  });
}

function explained(error: unknown): unknown {
  if (error instanceof EnrolmentError && error.code === 'agent-revoked') return revoked(error);
  if (error instanceof AgentOptionsError) return new CommandError('options-invalid', error.message, { cause: error });
  if (error instanceof EnrolmentError) return new CommandError(error.code, error.message, { cause: error });
  if (error instanceof CredentialFileError) return new CommandError('credential-file', error.message, { cause: error });
  return error;
}

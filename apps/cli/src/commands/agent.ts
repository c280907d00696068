import {
  AgentOptionsError,
  type Agent,
  type AgentOptions,
  createAgentLog,
  CredentialFileError,
  EnrolmentError,
  startAgent,
} from '@weir/agent';
import { CommandError, EXIT_CODES } from '../output/command-error.ts';
import { untilAskedToEnd } from '../output/run-until-signal.ts';
import type { Terminal } from '../output/terminal.ts';
import { VERSION } from '../version.ts';

/** Flags of `weir agent`. */
export interface AgentFlags {
  /** Addresses of consoles of one group. */
  console: string[];
  token?: string;
  name?: string;
  stateDir: string;
  slots?: number;
  concurrency?: number;
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
    throw new CommandError('refused', `the console does not accept this agent any more: ${end.error.message}`, {
      remedy: 'Enrol it again with a token from the Agents page, after removing its state folder.',
      cause: end.error,
    });
  }
  return EXIT_CODES.ok;
}

function agentOptions(flags: AgentFlags): AgentOptions {
  const enrolmentToken = flags.token ?? process.env['WEIR_TOKEN'];
  return {
    consoleUrls: flags.console,
    stateDir: flags.stateDir,
    version: VERSION,
    ...(enrolmentToken === undefined ? {} : { enrolmentToken }),
    ...(flags.name === undefined ? {} : { name: flags.name }),
    ...(flags.slots === undefined ? {} : { slots: flags.slots }),
    ...(flags.concurrency === undefined ? {} : { concurrency: flags.concurrency }),
    ...(flags.holdoffSeconds === undefined
      ? {}
      : { holdoffMinSeconds: flags.holdoffSeconds[0], holdoffMaxSeconds: flags.holdoffSeconds[1] }),
  };
}

function explained(error: unknown): unknown {
  if (error instanceof AgentOptionsError) return new CommandError('options-invalid', error.message, { cause: error });
  if (error instanceof EnrolmentError) return new CommandError(error.code, error.message, { cause: error });
  if (error instanceof CredentialFileError) return new CommandError('credential-file', error.message, { cause: error });
  return error;
}

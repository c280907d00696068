import { Option, type Command } from 'commander';
import { AGENT_DEFAULTS, AGENT_MOST, AGENT_OPTION_WAYS } from '@weir/agent/options';
import type { Terminal } from '../output/terminal.ts';
import type { AgentFlags } from './agent.ts';
import { consoleAddresses, oneOf, secondsRange, wholeNumber } from './flag-values.ts';
import { flagOf } from './option-ways.ts';
import { addProcess } from './process-command.ts';

const HELP = `
It runs until Ctrl-C or SIGTERM, and gives its work back then. With a token in its environment it enrols again at its next start,
also after it was revoked.

Exit code: 0 it was asked to end · 2 it could not start, or the console does not know it · 77 it was revoked at the console.

Examples:
  $ WEIR_TOKEN=… weir agent --console https://weir.example:8180
  $ weir agent --console http://weir-1:8180,http://weir-2:8180 --name rack-3 --slots 8
`;

/** The options of an agent that can be given as a flag: its value, what it is, what holds without it, how it is read. */
function optionFlags(): Option[] {
  const { consoleUrls, enrolmentToken, name, stateDir, slots, concurrency, holdoffMinSeconds } = AGENT_OPTION_WAYS;
  const { holdoffMinSeconds: low, holdoffMaxSeconds: high } = AGENT_DEFAULTS;
  return [
    flagOf(consoleUrls, '<url,…>', 'address of the console, or of several of one group')
      .argParser(consoleAddresses)
      .makeOptionMandatory(),
    flagOf(enrolmentToken, '<token>', 'enrolment token, needed once'),
    flagOf(name, '<name>', 'name shown at the console', 'the host name'),
    flagOf(stateDir, '<folder>', "the agent's own credential").default('./weir-agent'),
    flagOf(slots, '<number>', 'key ranges worked on at once', AGENT_DEFAULTS.slots).argParser(
      wholeNumber(1, AGENT_MOST.slots),
    ),
    flagOf(concurrency, '<number>', 'objects copied at once, over all slots', AGENT_DEFAULTS.concurrency).argParser(
      wholeNumber(1, AGENT_MOST.concurrency),
    ),
    flagOf(
      holdoffMinSeconds,
      '<low-high>',
      'seconds of pause after SlowDown, drawn between these',
      `${low}-${high}`,
    ).argParser(secondsRange),
    new Option('--log-level <level>', LOG_LEVELS.join(', ')).argParser(oneOf(...LOG_LEVELS)).default('info'),
  ];
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

/** Adds `weir agent`. */
export function addAgent(program: Command, terminal: Terminal, ending: (code: number) => void): void {
  addProcess<AgentFlags>(program, {
    name: 'agent',
    description: 'start an agent: takes copy jobs from a console and runs them under its credits',
    options: optionFlags(),
    help: HELP,
    run: async (flags) => {
      const { agentCommand } = await import('./agent.ts');
      ending(await agentCommand(flags, terminal));
    },
  });
}

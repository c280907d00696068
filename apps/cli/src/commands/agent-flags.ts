import type { Command, Option } from 'commander';
import { AGENT_OPTION_WAYS } from '@weir/agent/options';
import type { Terminal } from '../output/terminal.ts';
import type { AgentFlags } from './agent.ts';
import { consoleAddresses, secondsRange, wholeNumber } from './flag-values.ts';
import { flagOf } from './option-ways.ts';

const HELP = `
Examples:
  $ WEIR_TOKEN=… weir agent --console https://weir.example:8180
  $ weir agent --console http://weir-1:8180,http://weir-2:8180 --name rack-3 --slots 8
`;

/** The options of an agent that can be given as a flag: its value, what it is, how it is read. */
function optionFlags(): Option[] {
  const { consoleUrls, enrolmentToken, name, stateDir, slots, concurrency, holdoffMinSeconds } = AGENT_OPTION_WAYS;
  return [
    flagOf(consoleUrls, '<url,…>', 'address of the console, or of several of one group')
      .argParser(consoleAddresses)
      .makeOptionMandatory(),
    flagOf(enrolmentToken, '<token>', 'enrolment token, needed once'),
    flagOf(name, '<name>', 'name shown at the console; default: the host name'),
    flagOf(stateDir, '<folder>', "the agent's own credential").default('./weir-agent'),
    flagOf(slots, '<number>', 'key ranges worked on at once').argParser(wholeNumber(1, 64)),
    flagOf(concurrency, '<number>', 'objects copied at once, over all slots').argParser(wholeNumber(1, 4_096)),
    flagOf(holdoffMinSeconds, '<low-high>', 'pause after SlowDown, drawn between these').argParser(secondsRange),
  ];
}

/** Adds `weir agent`. */
export function addAgent(program: Command, terminal: Terminal, ending: (code: number) => void): void {
  const command = program
    .command('agent')
    .description('start an agent: takes copy jobs from a console and runs them under its credits');
  for (const option of optionFlags()) command.addOption(option);
  command
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent', 'info')
    .option('--end-with-input', 'end when standard input closes, as when a supervisor dies', false)
    .option('--json', 'print one JSON line when ready; logs go to standard error', false)
    .addHelpText('after', HELP)
    .action(async (options: AgentFlags) => {
      const { agentCommand } = await import('./agent.ts');
      ending(await agentCommand(options, terminal));
    });
}

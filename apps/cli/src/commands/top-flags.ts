import type { Command } from 'commander';
import type { Terminal } from '../output/terminal.ts';
import { consoleAddresses } from './flag-values.ts';
import type { TopFlags } from './top-options.ts';

/** Adds `weir top`. */
export function addTop(program: Command, terminal: Terminal, ending: (code: number) => void): void {
  program
    .command('top')
    .description('the TPS Monitor in a terminal: totals, utilization, every agent, refreshed once per window')
    .requiredOption('--console <url,…>', 'address of the console, or of several of one group', consoleAddresses)
    .option('--user <name>', 'account to log in with; viewer is enough', 'admin')
    .option(
      '--password-file <file>',
      'file with the password (else WEIR_PASSWORD in the environment, else it is asked for)',
    )
    .option('--once', 'show it once and end', false)
    .option('--json', 'one JSON object per refresh, as the API gives it (with --once: one)', false)
    .addHelpText(
      'after',
      `
Keys: q ends · s and S choose the column that sorts · r refreshes · arrows, Page Up and Page Down, Home and End scroll
Colours are off when NO_COLOR is set or the output is no terminal; then there is a line per refresh.

Examples:
  $ weir top --console http://127.0.0.1:8180
  $ WEIR_PASSWORD=… weir top --console https://weir.example:8180 --user maria --once
  $ weir top --console URL --password-file ~/.weir-password --json | jq .utilizationPercent
`,
    )
    .action(async (flags: TopFlags) => {
      const { topCommand } = await import('./top.ts');
      ending(await topCommand(flags, terminal));
    });
}

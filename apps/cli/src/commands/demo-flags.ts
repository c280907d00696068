import type { Command } from 'commander';
import { CONSOLE_DEFAULTS } from '@weir/console/options';
import { PRESETS } from '../demo/presets.ts';
import type { Terminal } from '../output/terminal.ts';
import type { DemoFlags } from './demo.ts';
import { wholeNumber } from './flag-values.ts';
import { optionTelling } from './option-ways.ts';

const EXAMPLES = `
Examples:
  $ weir demo
  $ weir demo --objects 200000 --limit 2000
  $ weir demo --exit-when-done --json --objects 5000 --window-seconds 2
`;

const { watched, checked } = PRESETS;

/** Adds `weir demo`. */
export function addDemo(program: Command, terminal: Terminal, ending: (code: number) => void): void {
  const { port, windowSeconds } = CONSOLE_DEFAULTS;
  program
    .command('demo')
    .description(
      'start the whole product on this machine: two S3 servers with data, a console, three agents, a copy job',
    )
    .option('--port <number>', 'port of the console on 127.0.0.1', wholeNumber(0, 65_535), port)
    .addOption(
      optionTelling(
        '--objects <number>',
        'objects in the source bucket',
        `${watched.objects}; ${checked.objects} with --exit-when-done`,
      ).argParser(wholeNumber(1, 1_000_000)),
    )
    .addOption(
      optionTelling(
        '--limit <tps>',
        'global TPS limit at the start',
        `${watched.limitTps}; ${checked.limitTps} with --exit-when-done`,
      ).argParser(wholeNumber(1, 1_000_000_000)),
    )
    .option('--window-seconds <number>', 'length of a credit window', wholeNumber(1, 300), windowSeconds)
    .option('--rounds <number>', 'copy jobs, one after another, before the demo only waits', wholeNumber(1, 100), 5)
    .option('--exit-when-done', 'run one job to its end, compare source and target, stop everything', false)
    .option('--json', 'print one JSON object as the result (with --exit-when-done)', false)
    .addHelpText('after', EXAMPLES)
    .action(async (options: DemoFlags) => {
      const { demoCommand } = await import('./demo.ts');
      ending(await demoCommand(options, terminal));
    });
}

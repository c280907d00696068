import { Command, CommanderError } from 'commander';
import { reportError, type Terminal } from './output/terminal.ts';
import type { DemoFlags } from './commands/demo.ts';
import { addAgent } from './commands/agent-flags.ts';
import { addAudit } from './commands/audit-flags.ts';
import { addBackup } from './commands/backup-flags.ts';
import { addConsole } from './commands/console-flags.ts';
import { addCopy } from './commands/copy-flags.ts';
import { addDoctor } from './commands/doctor-flags.ts';
import { addManifest } from './commands/manifest-flags.ts';
import { wholeNumber } from './commands/flag-values.ts';
import { addQuota } from './commands/quota-flags.ts';
import { addTop } from './commands/top-flags.ts';
import { EXIT_CODES } from './output/command-error.ts';
import { VERSION } from './version.ts';

/** The `weir` command line. Each command's code is loaded only when it runs. */
export function buildProgram(terminal: Terminal): { run(argv: readonly string[]): Promise<number> } {
  return {
    run: async (argv) => {
      let exitCode: number = EXIT_CODES.ok;
      const program = new Command('weir')
        .description('Weir keeps shared budgets: a TPS governor for S3 copy fleets, and quotas that count exactly.')
        .version(VERSION)
        .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
        .showHelpAfterError('Run "weir <command> --help" for its options and examples.')
        .exitOverride();
      const ending = (code: number): void => {
        exitCode = code;
      };
      for (const add of [
        addDemo,
        addConsole,
        addAgent,
        addCopy,
        addManifest,
        addSimulate,
        addAudit,
        addQuota,
        addTop,
        addDoctor,
        addBackup,
      ])
        add(program, terminal, ending);
      // exitOverride is not inherited by commands that were added by `command()` before it was set on them.
      for (const command of program.commands) command.exitOverride();
      try {
        await program.parseAsync(argv, { from: 'user' });
        return exitCode;
      } catch (error) {
        // Commander has printed its own message, or the help that was asked for.
        if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.cannotRun;
        return reportError(terminal, error, argv.includes('--json'));
      }
    },
  };
}

type AddCommand = (program: Command, terminal: Terminal, ending: (code: number) => void) => void;

const addDemo: AddCommand = (program, terminal, ending) => {
  program
    .command('demo')
    .description(
      'start the whole product on this machine: two S3 servers with data, a console, three agents, a copy job',
    )
    .option('--port <number>', 'port of the console on 127.0.0.1', wholeNumber(0, 65_535), 8180)
    .option('--objects <number>', 'objects in the source bucket', wholeNumber(1, 1_000_000))
    .option('--limit <tps>', 'global TPS limit at the start', wholeNumber(1, 1_000_000_000))
    .option('--window-seconds <number>', 'length of a credit window', wholeNumber(1, 300), 30)
    .option('--rounds <number>', 'copy jobs, one after another, before the demo only waits', wholeNumber(1, 100), 5)
    .option('--exit-when-done', 'run one job to its end, compare source and target, stop everything', false)
    .option('--json', 'print one JSON object as the result (with --exit-when-done)', false)
    .addHelpText(
      'after',
      example(
        'weir demo',
        'weir demo --objects 200000 --limit 2000',
        'weir demo --exit-when-done --json --objects 5000 --window-seconds 2',
      ),
    )
    .action(async (options: DemoFlags) => {
      const { demoCommand } = await import('./commands/demo.ts');
      ending(await demoCommand(options, terminal));
    });
};

const addSimulate: AddCommand = (program, terminal, ending) => {
  program
    .command('simulate <file>')
    .description('what the coordinator would do with the fleet that a scenario file describes')
    .option('--json', 'print windows and summary as one JSON object', false)
    .addHelpText(
      'after',
      `\nExample of a scenario file:\n  ${JSON.stringify({
        globalLimitTps: 10_000,
        windows: 10,
        agents: [
          { id: 'hungry', demandTps: 20_000 },
          { id: 'quiet', demandTps: 500 },
          { id: 'steady', count: 8, demandTps: 900, burstTps: 1_200, runsFrom: 3 },
        ],
      })}\n${example('weir simulate fleet.json', 'weir simulate fleet.json --json', 'weir simulate - < fleet.json')}`,
    )
    .action(async (file: string, options: { json: boolean }) => {
      const { simulateCommand } = await import('./commands/simulate.ts');
      ending(await simulateCommand(file, options, terminal));
    });
};

function example(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

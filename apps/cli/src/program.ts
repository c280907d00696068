import { Command, CommanderError } from 'commander';
import { reportError, type Terminal } from './output/terminal.ts';
import type { AgentFlags } from './commands/agent.ts';
import type { ConsoleFlags } from './commands/console.ts';
import type { DemoFlags } from './commands/demo.ts';
import { addAudit } from './commands/audit-flags.ts';
import { addBackup } from './commands/backup-flags.ts';
import { addCopy } from './commands/copy-flags.ts';
import { addDoctor } from './commands/doctor-flags.ts';
import { addManifest } from './commands/manifest-flags.ts';
import { consoleAddresses, daysByKind, listed, secondsRange, wholeNumber } from './commands/flag-values.ts';
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

const addConsole: AddCommand = (program, terminal, ending) => {
  program
    .command('console')
    .description('start a console: coordinator, job queue, pages')
    .option('--data-dir <folder>', 'database and secrets (made when absent)', './weir-console')
    .option('--storage-url <url>', 'sqlite: (default) or postgres://… (better: WEIR_STORAGE_URL in the environment)')
    .option(
      '--redis <url>',
      'redis://… or rediss://… that several consoles share: one leads, the others pass on (better: WEIR_REDIS_URL)',
    )
    .option('--advertise-url <url>', 'address at which the other consoles reach this one (or WEIR_ADVERTISE_URL)')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0: any free one (default: 8180)', wholeNumber(0, 65_535))
    .option('--public-url <url>', 'address that agents are told to use, when it is not the one listened on')
    .option(
      '--trusted-proxies <address,…>',
      'reverse proxies, also as 10.0.0.0/8: their X-Forwarded-For names the client (or WEIR_TRUSTED_PROXIES)',
      listed,
    )
    .option('--max-agents <number>', 'agents that may be enrolled (default: 200000)', wholeNumber(1, 1_000_000))
    .option(
      '--keep-days <kind=days,…>',
      'how long what has ended is kept: jobs, failures, alarms, audit (default: 400 days each)',
      daysByKind,
    )
    .option('--tls-cert <file>', 'certificate (PEM); with --tls-key the console speaks https')
    .option('--tls-key <file>', 'private key (PEM)')
    .option('--window-seconds <number>', 'length of a credit window', wholeNumber(1, 300), 30)
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent', 'info')
    .option('--end-with-input', 'end when standard input closes, as when a supervisor dies', false)
    .option('--json', 'print one JSON line when ready; logs go to standard error', false)
    .addHelpText(
      'after',
      example('weir console', 'weir console --data-dir /var/lib/weir --host 0.0.0.0 --port 8443') +
        '\nThe first start makes an admin password and prints it once. WEIR_ADMIN_PASSWORD in the environment sets it, at this and at\nevery later start, so it is also the way back in when the password was lost.\n\nSeveral consoles: PostgreSQL, Redis, and the same secrets.json and manifest-key.pem in each data directory; see\ndocs/operations/several-consoles.md.\n',
    )
    .action(async (options: ConsoleFlags) => {
      const { consoleCommand } = await import('./commands/console.ts');
      ending(await consoleCommand(options, terminal));
    });
};

const addAgent: AddCommand = (program, terminal, ending) => {
  program
    .command('agent')
    .description('start an agent: takes copy jobs from a console and runs them under its credits')
    .requiredOption('--console <url,…>', 'address of the console, or of several of one group', consoleAddresses)
    .option('--token <token>', 'enrolment token, needed once (better: WEIR_TOKEN in the environment)')
    .option('--name <name>', 'name shown at the console; default: the host name')
    .option('--state-dir <folder>', "the agent's own credential", './weir-agent')
    .option('--slots <number>', 'key ranges worked on at once', wholeNumber(1, 64))
    .option('--concurrency <number>', 'objects copied at once, over all slots', wholeNumber(1, 4_096))
    .option('--holdoff-seconds <low-high>', 'pause after SlowDown, drawn between these', secondsRange)
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent', 'info')
    .option('--end-with-input', 'end when standard input closes, as when a supervisor dies', false)
    .option('--json', 'print one JSON line when ready; logs go to standard error', false)
    .addHelpText(
      'after',
      example(
        'WEIR_TOKEN=… weir agent --console https://weir.example:8180',
        'weir agent --console http://weir-1:8180,http://weir-2:8180 --name rack-3 --slots 8',
      ),
    )
    .action(async (options: AgentFlags) => {
      const { agentCommand } = await import('./commands/agent.ts');
      ending(await agentCommand(options, terminal));
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

import { Command, CommanderError } from 'commander';
import { reportError, type Terminal } from './output/terminal.ts';
import { addAgent } from './commands/agent-flags.ts';
import { addAudit } from './commands/audit-flags.ts';
import { addBackup } from './commands/backup-flags.ts';
import { understood } from './commands/command-names.ts';
import { addConsole } from './commands/console-flags.ts';
import { addCopy } from './commands/copy-flags.ts';
import { addDemo } from './commands/demo-flags.ts';
import { addDoctor } from './commands/doctor-flags.ts';
import { addManifest } from './commands/manifest-flags.ts';
import { describedOption } from './commands/option-ways.ts';
import { addQuota } from './commands/quota-flags.ts';
import { addSimulate } from './commands/simulate-flags.ts';
import { addTop } from './commands/top-flags.ts';
import { EXIT_CODES } from './output/command-error.ts';
import { VERSION } from './version.ts';

/** The `weir` command line. Each command's code is loaded only when it runs. */
export function buildProgram(terminal: Terminal): { run(argv: readonly string[]): Promise<number> } {
  return {
    run: async (argv) => {
      let exitCode: number = EXIT_CODES.ok;
      const program = weirCommand(terminal, (code) => {
        exitCode = code;
      });
      try {
        await program.parseAsync(understood(program, argv), { from: 'user' });
        return exitCode;
      } catch (error) {
        // Commander has printed its own message, or the help that was asked for.
        if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.cannotRun;
        return reportError(terminal, error, argv.includes('--json'));
      }
    },
  };
}

/** Every command, with its options. @param ending told how one ended */
export function weirCommand(terminal: Terminal, ending: (code: number) => void): Command {
  // Commands take over what is set here before they are added.
  const program = new Command('weir')
    .description('Weir keeps shared budgets: a TPS governor for S3 copy fleets, and quotas that count exactly.')
    .version(VERSION)
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .configureHelp({ optionDescription: describedOption })
    .showHelpAfterError('Run "weir <command> --help" for its options and examples.')
    .exitOverride();
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
  return program;
}

import type { Command, Option } from 'commander';

/** A command that starts something which runs until it is asked to end. */
export interface ProcessCommand<Flags> {
  readonly name: string;
  readonly description: string;
  /** Its own options; those that all such commands have come after them. */
  readonly options: readonly Option[];
  /** Told after the options. */
  readonly help: string;
  readonly run: (flags: Flags) => Promise<void>;
}

/** Adds it to the command line. */
export function addProcess<Flags extends object>(program: Command, command: ProcessCommand<Flags>): void {
  const added = program.command(command.name).description(command.description);
  for (const option of command.options) added.addOption(option);
  added
    .option('--end-with-input', 'end when standard input closes, as when a supervisor dies', false)
    .option('--json', 'print one JSON line when ready; logs go to standard error', false)
    .addHelpText('after', command.help)
    .action(command.run);
}

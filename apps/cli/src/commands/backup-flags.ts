import type { Command } from 'commander';
import { CONSOLE_DEFAULTS, OPTION_WAYS } from '@weir/console/options';
import type { Terminal } from '../output/terminal.ts';
import { dataDirFlag, flagOf } from './option-ways.ts';
import type { BackupFlags, RestoreFlags } from './backup.ts';

const BACKUP_HELP = `
The console may run meanwhile: it makes the copy itself. The file is a tar archive that only its owner can read. It holds the
secrets too, so keep it as safe as the console; --without-secrets leaves them out, for those who keep them elsewhere.
With PostgreSQL it holds the secrets alone, and pg_dump saves the database.

Exit code: 0 the backup is whole · 2 it could not be made · 130 interrupted; what was there before is untouched.

Examples:
  $ weir backup weir-2026-11-30.tar --data-dir /var/lib/weir
  $ weir backup db-only.tar --data-dir /var/lib/weir --without-secrets
  $ WEIR_STORAGE_URL=postgres://… weir backup secrets.tar --data-dir /var/lib/weir
`;

const RESTORE_HELP = `
The console must not run. The backup is checked whole before anything is put in place. With --replace it is refused while consoles
use the database, or Redis shows consoles of the group; one that starts meanwhile waits, and reads what was restored.

Exit code: 0 restored · 2 it could not be; what was there before is untouched · 130 interrupted: run it again.

Examples:
  $ weir restore weir-2026-11-30.tar --data-dir /var/lib/weir
  $ weir restore weir-2026-11-30.tar --data-dir /var/lib/weir --replace
  $ WEIR_STORAGE_URL=postgres://… WEIR_REDIS_URL=redis://… weir restore secrets.tar --data-dir /var/lib/weir --replace
`;

/** Adds `weir backup` and `weir restore` to the command line. */
export function addBackup(program: Command, terminal: Terminal, ending: (code: number) => void): void {
  program
    .command('backup <file>')
    .description("save a console's database and secrets into one file, while it runs or not")
    .addOption(dataDirFlag('data directory of the console'))
    .addOption(flagOf(OPTION_WAYS.storageUrl, '<url>', 'as given to the console', CONSOLE_DEFAULTS.storageUrl))
    .option('--without-secrets', 'leave out the keys: encrypted secrets then need the files from elsewhere', false)
    .option('--json', 'print the result as one JSON object', false)
    .addHelpText('after', BACKUP_HELP)
    .action(async (file: string, flags: BackupFlags) => {
      const { backupCommand } = await import('./backup.ts');
      ending(await backupCommand(file, flags, terminal));
    });
  program
    .command('restore <file>')
    .description('put a backup into a data directory on which no console runs')
    .addOption(dataDirFlag('where to restore to (made when absent)'))
    .addOption(flagOf(OPTION_WAYS.storageUrl, '<url>', 'database of the console, which tells whether consoles use it'))
    .addOption(flagOf(OPTION_WAYS.redisUrl, '<url>', 'Redis of the group, which tells more of them'))
    .option('--replace', 'move what is there already aside, to <name>.before-restore', false)
    .option('--json', 'print the result as one JSON object', false)
    .addHelpText('after', RESTORE_HELP)
    .action(async (file: string, flags: RestoreFlags) => {
      const { restoreCommand } = await import('./backup.ts');
      ending(await restoreCommand(file, flags, terminal));
    });
}

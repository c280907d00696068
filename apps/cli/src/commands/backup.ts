import { BackupError, backUp, type ConsoleOptionsInput, parseConsoleOptions, restoreBackup } from '@weir/console';
import { CONSOLE_DEFAULTS, namedOption, OPTION_WAYS } from '@weir/console/options';
import { CommandError, EXIT_CODES } from '../output/command-error.ts';
import type { Terminal } from '../output/terminal.ts';

/** Flags of `weir backup`. */
export interface BackupFlags {
  dataDir: string;
  storageUrl?: string;
  withoutSecrets: boolean;
  json: boolean;
}

/** Flags of `weir restore`. */
export interface RestoreFlags {
  dataDir: string;
  storageUrl?: string;
  redis?: string;
  replace: boolean;
  json: boolean;
}

/** `weir backup`: one archive of what a console keeps. */
export async function backupCommand(file: string, flags: BackupFlags, terminal: Terminal): Promise<number> {
  const storageUrl = flags.storageUrl ?? process.env[OPTION_WAYS.storageUrl.variable] ?? CONSOLE_DEFAULTS.storageUrl;
  requireGood({ dataDir: flags.dataDir, storageUrl });
  const made = await named(() => backUp({ dataDir: flags.dataDir, storageUrl, file, secrets: !flags.withoutSecrets }));
  const files = Object.keys(made.contents.files);
  if (flags.json) terminal.out(`${JSON.stringify({ file, bytes: made.bytes, online: made.online, files })}\n`);
  else {
    terminal.out(`${file}: ${files.join(', ')} (${made.bytes} bytes)\n`);
    if (made.contents.storage === 'postgres') {
      terminal.out('The database itself:  pg_dump --format=custom --file=weir.dump "$WEIR_STORAGE_URL"\n');
    }
    if (flags.withoutSecrets) {
      terminal.out('Without secrets.json the endpoint secrets in it cannot be read: keep that file elsewhere.\n');
    }
  }
  return EXIT_CODES.ok;
}

/** `weir restore`: the other way round. */
export async function restoreCommand(file: string, flags: RestoreFlags, terminal: Terminal): Promise<number> {
  const { dataDir, replace } = flags;
  const storageUrl = flags.storageUrl ?? process.env[OPTION_WAYS.storageUrl.variable];
  const redisUrl = flags.redis ?? process.env[OPTION_WAYS.redisUrl.variable];
  requireGood({
    dataDir,
    ...(storageUrl === undefined ? {} : { storageUrl, ...(redisUrl === undefined ? {} : { redisUrl }) }),
  });
  const restored = await named(() => restoreBackup({ file, dataDir, replace, storageUrl, redisUrl }));
  const { contents, files, movedAside, notSeen } = restored;
  if (flags.json) {
    terminal.out(`${JSON.stringify({ dataDir, files, movedAside, notSeen, createdAtMs: contents.createdAtMs })}\n`);
    return EXIT_CODES.ok;
  }
  terminal.out(`Restored to ${dataDir}: ${files.join(', ')}, as of ${new Date(contents.createdAtMs).toISOString()}.\n`);
  if (movedAside.length > 0) terminal.out(`Moved aside: ${movedAside.join(', ')}.\n`);
  if (notSeen !== null) terminal.out(`${notSeen}.\n`);
  if (contents.storage === 'postgres') terminal.out(DATABASE_ITSELF);
  return EXIT_CODES.ok;
}

/** `dropdb` refuses while a console is connected. */
const DATABASE_ITSELF = `The database itself, before any console is started (docs/operations/storage.md):
  dropdb weir && createdb weir --owner=weir --encoding=UTF8 --template=template0
  pg_restore --no-owner --dbname="$WEIR_STORAGE_URL" weir.dump
`;

/** @throws CommandError */
function requireGood(options: ConsoleOptionsInput): void {
  const parsed = parseConsoleOptions(options);
  if (parsed.ok) return;
  const [problem] = parsed.problems;
  throw new CommandError('options-invalid', `${namedOption(problem?.field ?? 'options')} ${problem?.problem ?? ''}`);
}

async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupError) throw new CommandError('backup-failed', error.message, { cause: error });
    throw error;
  }
}

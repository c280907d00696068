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
  if (flags.json) {
    const { bytes, online, removed } = made;
    terminal.out(`${JSON.stringify({ file, bytes, online, files, removed })}\n`);
  } else {
    terminal.out(`${file}: ${files.join(', ')} (${made.bytes} bytes)\n`);
    tellRemoved(made.removed, terminal);
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
  const { contents, files, movedAside, notSeen, removed } = restored;
  if (flags.json) {
    const { createdAtMs } = contents;
    terminal.out(`${JSON.stringify({ dataDir, files, movedAside, notSeen, removed, createdAtMs })}\n`);
    return EXIT_CODES.ok;
  }
  terminal.out(`Restored to ${dataDir}: ${files.join(', ')}, as of ${new Date(contents.createdAtMs).toISOString()}.\n`);
  if (movedAside.length > 0) terminal.out(`Moved aside: ${movedAside.join(', ')}.\n`);
  tellRemoved(removed, terminal);
  if (notSeen !== null) terminal.out(`${notSeen}.\n`);
  if (contents.storage === 'postgres') terminal.out(DATABASE_ITSELF);
  return EXIT_CODES.ok;
}

function tellRemoved(removed: readonly string[], terminal: Terminal): void {
  if (removed.length === 0) return;
  terminal.out(`Removed what others that were killed had left: ${removed.join(', ')}.\n`);
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
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupError) throw new CommandError('backup-failed', error.message, { cause: error });
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** A signal alone would end the process without removing what is not whole. */
function interrupt(): void {
  process.exit(EXIT_CODES.interrupted);
}

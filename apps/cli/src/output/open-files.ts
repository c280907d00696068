import { CommandError } from './command-error.ts';

/**
 * Least limit of open files that every command does with. Node.js opens the modules of a console nearly all at once, some 450; an
 * agent with its defaults has 256 objects under way, with a connection to each side.
 */
export const LEAST_OPEN_FILES = 1_024;

/** How the limit is raised. Node.js takes all that it may have when it starts, so it is the hard limit that counts. */
export const RAISE_OPEN_FILES: string =
  'Raise the hard limit ("ulimit -Hn" shows it): LimitNOFILE=65536 in the unit of systemd, --ulimit nofile=65536:65536 for a ' +
  'container, or /etc/security/limits.conf for a login.';

/** Files and connections that this process may have open; null: the system does not tell. Opens none itself. */
export function openFilesLimit(): number | null {
  const limits = member(member(process.report.getReport(), 'userLimits'), 'open_files');
  const soft = member(limits, 'soft');
  if (soft === 'unlimited') return Number.POSITIVE_INFINITY;
  return typeof soft === 'number' ? soft : typeof soft === 'string' && /^\d+$/.test(soft) ? Number(soft) : null;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** What is said of an error that comes of too many open files, here or on the whole machine; undefined for others. */
export function tooManyOpenFiles(error: unknown): CommandError | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENFILE') {
    const message = 'this machine has as many files open as it may have, in all processes together';
    const remedy = 'Raise it with "sysctl fs.file-max", or end what holds them: "lsof" lists it.';
    return new CommandError('too-many-open-files', message, { remedy, cause: error });
  }
  const limit = openFilesLimit();
  // A module that is there and cannot be opened is taken for one that is not.
  const unopened = code === 'ERR_MODULE_NOT_FOUND' && limit !== null && limit < LEAST_OPEN_FILES;
  if (code !== 'EMFILE' && !unopened) return error.cause === undefined ? undefined : tooManyOpenFiles(error.cause);
  const message =
    `this process has as many files open as it may have${limit === null ? '' : `: ${limit}`} (RLIMIT_NOFILE); ` +
    `weir needs ${LEAST_OPEN_FILES}`;
  return new CommandError('too-many-open-files', message, { remedy: RAISE_OPEN_FILES, cause: error });
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ConsoleOptionsInput,
  InvalidConsoleOptions,
  type RunningConsole,
  startConsole,
  StopUnfinished,
  UnusableDatabase,
} from '@weir/console';
import { s3EndpointProbe } from '../endpoint-probe.ts';
import { CONSOLE_DEFAULTS, OPTION_WAYS } from '@weir/console/options';
import { listed } from './flag-values.ts';
import { givenOptions } from './option-ways.ts';
import { CommandError, EXIT_CODES } from '../output/command-error.ts';
import { endWithoutThreads, untilAskedToEnd } from '../output/run-until-signal.ts';
import { reportError, type Terminal } from '../output/terminal.ts';

/** Flags of `weir console` that are looked at here; the others are options of the console. */
export interface ConsoleFlags {
  dataDir: string;
  endWithInput: boolean;
  json: boolean;
}

const builtPages = fileURLToPath(new URL('../../../web/dist', import.meta.url));

/** `weir console`: runs until SIGINT or SIGTERM, then drains. */
export async function consoleCommand(flags: ConsoleFlags, terminal: Terminal): Promise<number> {
  const started = await start(consoleOptions(flags), (password) => {
    // A console that leads later, of a group that had no administrator yet.
    if (!flags.json) terminal.out(`${credentials(password).join('\n')}\n`);
  });
  // Before anybody reads that it listens: who then asks it to end is to be heard.
  const asked = untilAskedToEnd({ ...flags, atOnce: endWithoutThreads });
  if (flags.json) {
    const group = started.seat();
    const about = { url: started.url, dataDir: flags.dataDir, pid: process.pid, ...(group === null ? {} : { group }) };
    terminal.out(`${JSON.stringify({ event: 'listening', ...about })}\n`);
  } else terminal.out(welcome(started, flags));
  await asked;
  await stopped(started, flags, terminal);
  return EXIT_CODES.ok;
}

/** Stops it, and says what does not end: the process cannot end by itself then. */
async function stopped(console: RunningConsole, flags: ConsoleFlags, terminal: Terminal): Promise<void> {
  try {
    await console.stop();
  } catch (error) {
    if (!(error instanceof StopUnfinished)) throw error;
    const remedy =
      'Look at the disk of the data directory, and at the servers that it uses. It ends as a killed process now.';
    reportError(terminal, new CommandError('stop-unfinished', error.message, { remedy, cause: error }), flags.json);
    endWithoutThreads();
  }
}

/** The console itself refuses what it does not understand. */
function consoleOptions(flags: ConsoleFlags): ConsoleOptionsInput {
  const given = givenOptions(OPTION_WAYS, flags, process.env);
  const { trustedProxies } = given;
  const read = {
    ...given,
    ...(trustedProxies === undefined ? {} : { trustedProxies: proxiesOf(trustedProxies) }),
    ...(existsSync(join(builtPages, 'index.html')) ? { webRoot: builtPages } : {}),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parseConsoleOptions looks at each
  return read as unknown as ConsoleOptionsInput;
}

/** A variable holds one text, which may be empty. */
function proxiesOf(given: unknown): unknown {
  const proxies: unknown = typeof given === 'string' ? listed(given) : given;
  return Array.isArray(proxies) ? proxies.filter((each) => each !== '') : proxies;
}

/** Why a host or port cannot be listened on, besides being in use. */
const NO_SUCH_ADDRESS = new Set([
  'EACCES',
  'EPERM',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EINVAL',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

async function start(options: ConsoleOptionsInput, passwordMade: (password: string) => void): Promise<RunningConsole> {
  try {
    return await startConsole(options, { endpointProbe: s3EndpointProbe, passwordMade });
  } catch (error) {
    if (error instanceof InvalidConsoleOptions) throw new CommandError('options-invalid', error.message);
    if (error instanceof UnusableDatabase) throw new CommandError('database-unusable', error.message);
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      const { port = CONSOLE_DEFAULTS.port, host = CONSOLE_DEFAULTS.host } = options;
      throw new CommandError('port-in-use', `port ${port} of ${host} is in use`, {
        remedy: `Choose another one with ${OPTION_WAYS.port.flag}, or end the program that uses it.`,
        cause: error,
      });
    }
    if (typeof code === 'string' && NO_SUCH_ADDRESS.has(code)) {
      throw new CommandError('cannot-start', error instanceof Error ? error.message : String(error), { cause: error });
    }
    throw error;
  }
}

function welcome(started: RunningConsole, flags: ConsoleFlags): string {
  const lines = [`The console is at ${started.url} (data in ${flags.dataDir}).`];
  const group = started.seat();
  if (group?.seat === 'leader') lines.push(`It leads its group (term ${group.fence}).`);
  if (group?.seat === 'standby') {
    lines.push(group.leaderUrl === null ? 'Nobody leads its group yet.' : `The leader is at ${group.leaderUrl}.`);
  }
  if (started.initialAdminPassword !== null) lines.push(...credentials(started.initialAdminPassword));
  lines.push('Ctrl-C ends it.');
  return `${lines.join('\n')}\n`;
}

function credentials(password: string): string[] {
  return ['', '  user      admin', `  password  ${password}`, '', 'The password is shown this once; it is not stored.'];
}

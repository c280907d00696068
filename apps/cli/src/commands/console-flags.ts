import type { Command, Option } from 'commander';
import { CONSOLE_DEFAULTS, OPTION_WAYS } from '@weir/console/options';
import type { Terminal } from '../output/terminal.ts';
import type { ConsoleFlags } from './console.ts';
import { daysByKind, listed, wholeNumber } from './flag-values.ts';
import { dataDirFlag, flagOf } from './option-ways.ts';
import { addProcess } from './process-command.ts';

const HELP = `
It runs until Ctrl-C or SIGTERM, and stops within 20 seconds; a second one ends it at once.

Exit code: 0 it was asked to end · 2 it could not start · 137 it had to be ended: twice asked to, or something did not stop in time.

Examples:
  $ weir console
  $ weir console --data-dir /var/lib/weir --host 0.0.0.0 --port 8443

The first start makes an admin password and prints it once. WEIR_ADMIN_PASSWORD in the environment sets it, at this and at
every later start, so it is also the way back in when the password was lost. What holds a password is better given in the
environment: a command line can be read by everybody on the machine.

Several consoles: PostgreSQL, Redis, and the same secrets.json and manifest-key.pem in each data directory; see
docs/operations/several-consoles.md.
`;

/** The options of a console that can be given as a flag: its value, what it is, what holds without it, how it is read. */
function optionFlags(): Option[] {
  const { storageUrl, redisUrl, advertiseUrl, host, port, publicUrl, trustedProxies } = OPTION_WAYS;
  const { maxAgents, retentionDays, tlsCertFile, tlsKeyFile, windowSeconds, logLevel } = OPTION_WAYS;
  const ownAddress = 'the one listened on';
  return [
    dataDirFlag('database and secrets (made when absent)'),
    flagOf(storageUrl, '<url>', 'sqlite: (a file in the data directory) or postgres://…', CONSOLE_DEFAULTS.storageUrl),
    flagOf(redisUrl, '<url>', 'redis://… or rediss://… that several consoles share: one leads, the others pass on'),
    flagOf(advertiseUrl, '<url>', 'address at which the other consoles reach this one', ownAddress),
    flagOf(host, '<address>', 'address to listen on', CONSOLE_DEFAULTS.host),
    flagOf(port, '<number>', 'port to listen on; 0: any free one', CONSOLE_DEFAULTS.port).argParser(
      wholeNumber(0, 65_535),
    ),
    flagOf(publicUrl, '<url>', 'address that agents are told to use', ownAddress),
    flagOf(
      trustedProxies,
      '<address,…>',
      'reverse proxies, also as 10.0.0.0/8: their X-Forwarded-For names the client',
      'none',
    ).argParser(listed),
    flagOf(maxAgents, '<number>', 'agents that may be enrolled', CONSOLE_DEFAULTS.maxAgents).argParser(
      wholeNumber(1, 1_000_000),
    ),
    flagOf(
      retentionDays,
      '<kind=days,…>',
      'how long what has ended is kept: jobs, failures, alarms, audit',
      `${CONSOLE_DEFAULTS.retentionDays} days each`,
    ).argParser(daysByKind),
    flagOf(tlsCertFile, '<file>', `certificate (PEM); with ${tlsKeyFile.flag} the console speaks https`),
    flagOf(tlsKeyFile, '<file>', 'private key (PEM)'),
    flagOf(
      windowSeconds,
      '<number>',
      'length of a credit window, in seconds',
      CONSOLE_DEFAULTS.windowSeconds,
    ).argParser(wholeNumber(1, 300)),
    flagOf(logLevel, '<level>', 'trace, debug, info, warn, error or silent', CONSOLE_DEFAULTS.logLevel),
  ];
}

/** Adds `weir console`. */
export function addConsole(program: Command, terminal: Terminal, ending: (code: number) => void): void {
  addProcess<ConsoleFlags>(program, {
    name: 'console',
    description: 'start a console: coordinator, job queue, pages',
    options: optionFlags(),
    help: HELP,
    run: async (flags) => {
      const { consoleCommand } = await import('./console.ts');
      ending(await consoleCommand(flags, terminal));
    },
  });
}

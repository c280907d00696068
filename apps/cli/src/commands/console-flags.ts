import type { Command, Option } from 'commander';
import { OPTION_WAYS } from '@weir/console/options';
import type { Terminal } from '../output/terminal.ts';
import type { ConsoleFlags } from './console.ts';
import { daysByKind, listed, wholeNumber } from './flag-values.ts';
import { flagOf } from './option-ways.ts';

const HELP = `
Examples:
  $ weir console
  $ weir console --data-dir /var/lib/weir --host 0.0.0.0 --port 8443

The first start makes an admin password and prints it once. WEIR_ADMIN_PASSWORD in the environment sets it, at this and at
every later start, so it is also the way back in when the password was lost. What holds a password is better given in the
environment: a command line can be read by everybody on the machine.

Several consoles: PostgreSQL, Redis, and the same secrets.json and manifest-key.pem in each data directory; see
docs/operations/several-consoles.md.
`;

/** The options of a console that can be given as a flag: its value, what it is, how it is read. */
function optionFlags(): Option[] {
  const { dataDir, storageUrl, redisUrl, advertiseUrl, host, port, publicUrl, trustedProxies } = OPTION_WAYS;
  const { maxAgents, retentionDays, tlsCertFile, tlsKeyFile, windowSeconds, logLevel } = OPTION_WAYS;
  return [
    flagOf(dataDir, '<folder>', 'database and secrets (made when absent)').default('./weir-console'),
    flagOf(storageUrl, '<url>', 'sqlite: (default) or postgres://…'),
    flagOf(redisUrl, '<url>', 'redis://… or rediss://… that several consoles share: one leads, the others pass on'),
    flagOf(advertiseUrl, '<url>', 'address at which the other consoles reach this one'),
    flagOf(host, '<address>', 'address to listen on').default('127.0.0.1'),
    flagOf(port, '<number>', 'port to listen on; 0: any free one (default: 8180)').argParser(wholeNumber(0, 65_535)),
    flagOf(publicUrl, '<url>', 'address that agents are told to use, when it is not the one listened on'),
    flagOf(
      trustedProxies,
      '<address,…>',
      'reverse proxies, also as 10.0.0.0/8: their X-Forwarded-For names the client',
    ).argParser(listed),
    flagOf(maxAgents, '<number>', 'agents that may be enrolled (default: 200000)').argParser(wholeNumber(1, 1_000_000)),
    flagOf(
      retentionDays,
      '<kind=days,…>',
      'how long what has ended is kept: jobs, failures, alarms, audit (default: 400 days each)',
    ).argParser(daysByKind),
    flagOf(tlsCertFile, '<file>', `certificate (PEM); with ${tlsKeyFile.flag} the console speaks https`),
    flagOf(tlsKeyFile, '<file>', 'private key (PEM)'),
    flagOf(windowSeconds, '<number>', 'length of a credit window').argParser(wholeNumber(1, 300)).default(30),
    flagOf(logLevel, '<level>', 'trace, debug, info, warn, error or silent').default('info'),
  ];
}

/** Adds `weir console`. */
export function addConsole(program: Command, terminal: Terminal, ending: (code: number) => void): void {
  const command = program.command('console').description('start a console: coordinator, job queue, pages');
  for (const option of optionFlags()) command.addOption(option);
  command
    .option('--end-with-input', 'end when standard input closes, as when a supervisor dies', false)
    .option('--json', 'print one JSON line when ready; logs go to standard error', false)
    .addHelpText('after', HELP)
    .action(async (options: ConsoleFlags) => {
      const { consoleCommand } = await import('./console.ts');
      ending(await consoleCommand(options, terminal));
    });
}

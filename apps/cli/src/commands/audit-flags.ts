import { constants, setPriority } from 'node:os';
import { DEFAULT_KEYS_PER_SECOND, DEFAULT_MAX_LIFETIME_MS } from '@weir/quota-audit/defaults';
import { type Command, InvalidArgumentError } from 'commander';
import type { Terminal } from '../output/terminal.ts';
import type { AuditFlags } from './audit-options.ts';
import { collected, oneOf, wholeNumber } from './flag-values.ts';
import { optionTelling } from './option-ways.ts';

/** Adds `weir audit` to the command line. */
export function addAudit(program: Command, terminal: Terminal, ending: (code: number) => void): void {
  program
    .command('audit <url>')
    .description('find counters on Redis, Valkey or memcached that never expire, or whose period is over; repair them')
    .option('--match <glob>', 'only keys like this, as Redis reads patterns')
    .option(
      '--counters <glob>',
      'keys like this are counters, whatever they look like (can be repeated)',
      collected,
      [],
    )
    .addOption(
      optionTelling(
        '--zone <name>',
        'time zone of dates in names; without it, deletions wait until the day is over everywhere',
        'UTC',
      ),
    )
    .addOption(
      optionTelling(
        '--max-lifetime <time>',
        'longest that a counter may have to live',
        `${DEFAULT_MAX_LIFETIME_MS / DAY_MS}d`,
      ).argParser(duration),
    )
    .option('--lifetime <time>', 'what --fix date gives counters whose names do not tell their period', duration)
    .option('--replica <url>', 'read from this replica; changes go to the first address')
    .addOption(
      optionTelling(
        '--rate <keys>',
        'most keys per second; less by itself while the server is busy',
        DEFAULT_KEYS_PER_SECOND,
      ).argParser(wholeNumber(1, 10_000_000)),
    )
    .option(
      '--fix <how>',
      '"date": give what was found the deadline it should have; "delete": remove ended periods',
      oneOf('date', 'delete'),
    )
    .option('--yes', 'repair without asking', false)
    .addOption(
      optionTelling('--journal <folder>', 'where the plan and the progress are kept', './weir-audit-… with --fix'),
    )
    .option('--fresh', 'begin anew although the journal could be continued', false)
    .option('--json', 'print the report as one JSON object', false)
    .addHelpText(
      'after',
      '\nReads only, unless --fix is given. Exit code: 0 nothing found, 1 findings, 2 could not run.\n' +
        '\nExamples:\n' +
        '  $ weir audit redis://127.0.0.1:6379\n' +
        "  $ weir audit redis://cache:6379/2 --replica redis://replica:6379/2 --match 'rlflx:*' --json\n" +
        "  $ weir audit valkey://cache --counters 'login:*' --fix date --lifetime 1h\n" +
        '  $ weir audit memcached://127.0.0.1:11211 --fix delete --yes\n',
    )
    .action(async (url: string, flags: AuditFlags) => {
      stepBack();
      const { auditCommand } = await import('./audit.ts');
      ending(await auditCommand(url, flags, terminal));
    });
}

/** An audit has time: whatever else runs on this machine, perhaps the server itself, goes first. */
function stepBack(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // Not allowed here; the audit's own pace must do.
  }
}

const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS };

/** `90s`, `15m`, `36h`, `400d` in ms. */
function duration(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It must be a number and s, m, h or d, for example 36h.');
  return Number(count) * (UNIT_MS[unit] ?? 0);
}

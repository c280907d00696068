import { type Command, InvalidArgumentError } from 'commander';
import { optionTelling } from './option-ways.ts';
import type { Terminal } from '../output/terminal.ts';
import type { PeriodFlag, QuotaFlags, QuotaListFlags, QuotaVerb } from './quota-options.ts';

/** Adds `weir quota` and its verbs to the command line. */
export function addQuota(program: Command, terminal: Terminal, ending: (code: number) => void): void {
  const quota = program.command('quota').description("take from, look at and reset the counters of Weir's quotas");
  const verb = (name: Exclude<QuotaVerb, 'list'>, description: string): Command =>
    quota
      .command(`${name} <url>`)
      .description(description)
      .requiredOption('--quota <id>', 'id of the quota, as the application defines it')
      .requiredOption('--subject <subject>', 'who is counted')
      .requiredOption('--per <period>', 'second, minute, hour, day, week, month, or several: "15 minutes"', period)
      .addOption(optionTelling('--zone <name>', 'IANA zone of the calendar', 'UTC'))
      .option('--json', 'print one JSON object', false)
      .action(async (url: string, flags: QuotaFlags) => {
        const { quotaCommand } = await import('./quota.ts');
        ending(await quotaCommand(name, url, flags, terminal));
      });
  const limited = (command: Command): Command =>
    command.requiredOption('--limit <number>', 'most that a subject may take in a period', whole(0));
  limited(verb('take', 'take from a quota: exit code 0 when it was allowed, 1 when it was refused'))
    .option('--cost <number>', 'how much to take', whole(1), 1)
    .option('--key <text>', 'idempotency key: the same take again is charged once')
    .addHelpText('after', EXAMPLES);
  limited(verb('peek', 'how much of a quota is used and left; takes nothing')).addHelpText('after', EXAMPLES);
  verb('reset', "set a subject's counter of the current period back to zero").addHelpText('after', EXAMPLES);
  quota
    .command('list <url>')
    .description('counters of quotas that are there now, those with the highest counts first')
    .option('--quota <id>', 'only of this quota')
    .option('--subject <subject>', 'only of this subject')
    .option('--top <number>', 'how many', whole(1), 50)
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', EXAMPLES)
    .action(async (url: string, flags: QuotaListFlags) => {
      const { quotaListCommand } = await import('./quota-list.ts');
      ending(await quotaListCommand(url, flags, terminal));
    });
}

const EXAMPLES = `
Examples:
  $ weir quota take redis://127.0.0.1:6379 --quota api --subject tenant-7 --limit 1000 --per day
  $ weir quota peek redis://127.0.0.1:6379 --quota api --subject tenant-7 --limit 1000 --per day --zone Europe/Berlin --json
  $ weir quota reset memcached://127.0.0.1:11211 --quota login --subject 10.0.0.1 --per "15 minutes"
  $ weir quota list redis://127.0.0.1:6379 --quota api --top 10
`;

function whole(lowest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= lowest && Number.isSafeInteger(value)) return value;
    throw new InvalidArgumentError(`It must be a whole number of at least ${lowest}.`);
  };
}

const PERIOD = /^(?:([1-9]\d{0,6})\s*)?(second|minute|hour|day|week|month)s?$/;

function isUnit(text: string | undefined): text is PeriodFlag['unit'] {
  return text !== undefined;
}

function period(text: string): PeriodFlag {
  const [, count, unit] = PERIOD.exec(text.trim()) ?? [];
  if (isUnit(unit)) return { unit, count: Number(count ?? 1) };
  throw new InvalidArgumentError('It must be a unit or a number of units, for example day or "15 minutes".');
}

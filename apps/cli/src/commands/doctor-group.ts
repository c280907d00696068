import type { ConsoleProblem, ConsolesView, ConsoleView } from '@weir/protocol';
import { OPTION_WAYS } from '@weir/console/options';
import { formatDuration } from '../output/figures.ts';
import { fail, ok, type Verdict, warn } from './doctor-finding.ts';

const PROBLEMS: Readonly<Record<Exclude<ConsoleProblem, 'same-address'>, string>> = {
  'database-away': 'is not answered by the database',
  'other-secrets': 'has other secrets than the leader',
  'other-database': 'has another database than the leader',
  'older-version': 'is older than the database',
};

/** What the leader says of the consoles of its group; null for a console that is alone. @param nowMs by the console's clock */
export function judgeConsoles({ consoles, group }: ConsolesView, nowMs: number): Verdict | null {
  if (group === null) return null;
  const missing = consoles.filter(({ state }) => state === 'missing');
  const wrong = [
    ...missing.map(({ host, url, heardAtMs }) => {
      return `${host} (${url}) is missing since ${formatDuration(Math.max(0, nowMs - heardAtMs))}`;
    }),
    ...sharedAddresses(consoles),
    ...consoles.flatMap(({ host, url, problems }) =>
      problems.flatMap((problem) => (problem === 'same-address' ? [] : `${host} (${url}) ${PROBLEMS[problem]}`)),
    ),
    ...(group.redis.problem === null ? [] : [`Redis refuses: ${group.redis.problem}`]),
  ];
  const here = consoles.length - missing.length;
  if (wrong.length > 0) {
    const own =
      sharedAddresses(consoles).length === 0 ? '' : `Give each an ${OPTION_WAYS.advertiseUrl.flag} of its own. `;
    return warn(
      'consoles',
      wrong.join('; '),
      `${own}Look at Setup & Settings > Consoles: it says for each what to do.`,
    );
  }
  if (here === 1 && group.judgesMissing) {
    const remedy = 'Start another one with the same database, Redis and secrets.';
    return warn('consoles', 'only this one is there: if it ends, nobody takes over', remedy);
  }
  return ok(
    'consoles',
    `${here} there, ${consoles[0]?.host ?? 'none'} leads, ${group.takeoversInDay} takeovers in 24 h`,
  );
}

/** Each address that several consoles advertise, with their machines. */
function sharedAddresses(consoles: readonly ConsoleView[]): string[] {
  const hosts = new Map<string, string[]>();
  for (const { url, host, problems } of consoles) {
    if (problems.includes('same-address')) hosts.set(url, [...(hosts.get(url) ?? []), host]);
  }
  return Array.from(hosts, ([url, on]) => `${on.length} consoles advertise ${url}: on ${on.join(', ')}`);
}

/** What a console that was asked says of who leads. */
export interface NamedLeader {
  /** Where it was asked. */
  readonly console: string;
  /** Address of its leader; null: it is alone. */
  readonly leader: string | null;
}

/** Whether consoles that agents are given together are one group; null: they are, or too few answer to tell. */
export function judgeLeaders(named: readonly NamedLeader[]): Verdict | null {
  const leaders = new Map<string | null, string[]>();
  for (const { console, leader } of named) leaders.set(leader, [...(leaders.get(leader) ?? []), console]);
  const alone = leaders.get(null) ?? [];
  if (leaders.size <= 1 && alone.length <= 1) return null;
  const parts = Array.from(leaders, ([leader, consoles]) =>
    leader === null ? `alone: ${consoles.join(', ')}` : `led by ${leader}: ${consoles.join(', ')}`,
  );
  return fail(
    'one group',
    parts.join('; '),
    'Each leader grants the whole budget. Give all the same database, Redis and secrets, stop those that are wrong, and look again.',
  );
}

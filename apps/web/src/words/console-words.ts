import type { ConsoleProblem, ConsolesView, ConsoleView } from '@weir/protocol';
import type { Tone } from '../components/badge.tsx';
import { formatCount } from '../format/numbers.ts';
import { formatDuration } from '../format/time.ts';

/** What a console does just now. */
export function consoleState({ seat, state }: Pick<ConsoleView, 'seat' | 'state'>): { label: string; tone: Tone } {
  if (state === 'missing') return { label: 'Missing', tone: 'amber' };
  return seat === 'leader' ? { label: 'Leads', tone: 'green' } : { label: 'Stands by', tone: 'gray' };
}

/** What is wrong with a console that is there, and what to do. */
export const PROBLEM_WORDS: Readonly<Record<ConsoleProblem, { short: string; remedy: string }>> = {
  'same-address': {
    short: 'another console has this address',
    remedy:
      'What is for one of the two may reach the other. Start each with an --advertise-url of its own, at which the others reach it.',
  },
  'database-away': {
    short: 'the database does not answer it',
    remedy: 'It cannot take over before the database answers it: look at the network between the two.',
  },
  'other-secrets': {
    short: 'has other secrets than the leader',
    remedy:
      'It cannot take over. Copy secrets.json and manifest-key.pem of the leader into its data directory, and start it again.',
  },
  'other-database': {
    short: 'has another database than the leader',
    remedy: 'It cannot take over. Start it with the storageUrl of the others.',
  },
  'older-version': {
    short: 'is older than the database',
    remedy: 'A newer console has changed the database, so this one cannot take over. Upgrade it.',
  },
};

/** A console as people call it: the name of its machine without the domain, and its address where that is not enough. */
export function consoleName({ host, url }: Pick<ConsoleView, 'host' | 'url'>, all: readonly ConsoleView[]): string {
  const name = shortName(host);
  return all.filter((other) => shortName(other.host) === name).length > 1 ? url.replace(/^https?:\/\//, '') : name;
}

function shortName(host: string): string {
  return /^[a-z][^.]*/i.exec(host)?.[0] ?? host;
}

/** Something that is wrong in the group, for whoever did not look for it. */
export interface GroupTrouble {
  /** The same while the same is wrong. */
  key: string;
  title: string;
  remedy: string;
  /** When the one that is missing was heard last. */
  heardAtMs: number | null;
}

/** What is wrong, most important first; empty for a console that is alone, and when all is well. */
export function groupTroubles({ consoles, group }: ConsolesView): GroupTrouble[] {
  if (group === null) return [];
  const missing = consoles.filter(({ state }) => state === 'missing');
  const here = consoles.length - missing.length;
  const troubles: GroupTrouble[] = missing.map((one) => ({
    key: `missing ${one.consoleId}`,
    title: `The console ${consoleName(one, consoles)} is missing.`,
    remedy: `It did not say that it ends: look at its machine, and at ${one.url}. ${remaining(here)}`,
    heardAtMs: one.heardAtMs,
  }));
  for (const one of consoles) {
    for (const problem of one.problems) {
      const { short, remedy } = PROBLEM_WORDS[problem];
      const title = `The console ${consoleName(one, consoles)}: ${short}.`;
      troubles.push({ key: `${problem} ${one.consoleId}`, title, remedy, heardAtMs: null });
    }
  }
  if (group.redis.problem !== null) troubles.push(redisTrouble(group.redis.problem));
  return troubles;
}

function redisTrouble(problem: string): GroupTrouble {
  return {
    key: `redis ${problem}`,
    title: 'Redis refuses what the consoles ask of it.',
    remedy: `It says: ${problem.replace(/\.$/, '')}. As long as it does, no other console may be able to take over.`,
    heardAtMs: null,
  };
}

/** Who is left to take over. */
function remaining(here: number): string {
  if (here === 1) return 'Nobody stands by now: if the leader ends, nobody takes over.';
  return here === 2 ? 'One more stands by.' : `${formatCount(here - 1)} more stand by.`;
}

/** What a database is. */
export const DATABASE_KINDS: Readonly<Record<ConsolesView['database']['kind'], string>> = {
  sqlite: 'SQLite file',
  postgresql: 'PostgreSQL',
};

/** How long an answer took; below a millisecond it is not worth a figure that changes each time. Null: there was none. */
export function answerWords(ms: number | null): string {
  if (ms === null) return 'does not answer';
  return `answers in ${ms < 1 ? 'less than 1 ms' : formatDuration(Math.round(ms))}`;
}

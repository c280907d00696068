import type { Command } from 'commander';
import { CommandError } from '../output/command-error.ts';

const HELP = 'help';

/** Names that are offered for one that does not exist. */
const MOST_OFFERED = 3;

/**
 * A command line with `help` written as what it means: `help quota take` is `quota take --help`.
 * @throws CommandError `unknown-command` for a word in the place of a command that is none, with the names nearest to it
 */
export function understood(program: Command, argv: readonly string[]): string[] {
  const path: string[] = [];
  let command = program;
  let rest = argv;
  let asksForHelp = false;
  while (command.commands.length > 0) {
    const [word] = rest;
    // An option, or the end: what is right there is a matter of the command.
    if (word === undefined || word.startsWith('-')) break;
    rest = rest.slice(1);
    if (word === HELP) {
      asksForHelp = true;
      continue;
    }
    const named = command.commands.find((each) => each.name() === word);
    if (named === undefined) throw unknown(word, path, command);
    path.push(word);
    command = named;
  }
  return asksForHelp ? [...path, '--help'] : [...path, ...rest];
}

function unknown(word: string, path: readonly string[], command: Command): CommandError {
  const parent = ['weir', ...path].join(' ');
  const names = command.commands.map((each) => each.name());
  const near = nearestNames(word, names);
  const offered = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `The commands are ${names.join(', ')}.`;
  const what = `no command ${JSON.stringify(word)}`;
  const message = path.length === 0 ? `there is ${what}` : `"${parent}" has ${what}`;
  return new CommandError('unknown-command', message, {
    remedy: `${offered} "${parent} --help" says what each does.`,
  });
}

/** The names that a word may be a slip of, the nearest first: beginnings, and up to one wrong letter in three. */
export function nearestNames(word: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, edits: name.startsWith(word) || word.startsWith(name) ? 0 : editsBetween(word, name) }))
    .filter(({ name, edits }) => edits <= Math.max(name.length, word.length) / 3)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, MOST_OFFERED)
    .map(({ name }) => name);
}

/** Letters to add, drop, replace or exchange with their neighbour to make one word of another (optimal string alignment). */
function editsBetween(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const exchanged = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const ways = [
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        exchanged ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      ];
      next.push(Math.min(...ways));
    }
    beforeLast = last;
    last = next;
  }
  return last[to.length] ?? 0;
}

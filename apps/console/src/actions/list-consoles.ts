import type { ConsoleProblem, ConsolesView, ConsoleView, GroupView } from '@weir/protocol';
import { MISSING_AFTER_MS } from '../presence/presence-times.ts';
import type { ConsoleSelf, HeardConsole, Roster, RosterLook } from '../ports/roster.ts';
import type { ConsoleContext } from './context.ts';

const DIFFERENCES = {
  secrets: 'other-secrets',
  database: 'other-database',
  version: 'older-version',
} as const satisfies Record<NonNullable<HeardConsole['differs']>, ConsoleProblem>;

/** What the console that answers knows of itself and its surroundings. */
export interface Surroundings {
  readonly database: Omit<ConsolesView['database'], 'answeredInMs'>;
  /** The console, when it is alone. */
  readonly self: () => ConsoleSelf;
  readonly startedAtSteadyMs: number;
  /** The group that it leads; undefined: it is alone. */
  readonly group?: { readonly roster: Roster; readonly fence: () => number | null } | undefined;
}

/**
 * Which consoles there are, which leads, and whether what they share answers.
 * @throws StorageUnavailable; nothing when Redis refuses, which the answer says
 */
export async function listConsoles(context: ConsoleContext, given: Surroundings): Promise<ConsolesView> {
  const { clock, storage } = context;
  const { group } = given;
  const look = await group?.roster.look();
  const fromMs = clock.steadyMs();
  await storage.settings.governor();
  const database = { ...given.database, answeredInMs: Math.max(0, clock.steadyMs() - fromMs) };
  if (group === undefined || look === undefined) return { database, consoles: [alone(context, given)], group: null };
  const leaderId = group.roster.self.consoleId;
  const nowMs = clock.nowMs();
  const consoles = look.consoles.map((one) => viewOf(one, { look, leaderId, nowMs })).sort(inOrder);
  return { database, consoles, group: groupOf(context, group.fence(), group.roster.place, look) };
}

function alone({ clock }: ConsoleContext, { self, startedAtSteadyMs }: Surroundings): ConsoleView {
  const heardAtMs = clock.nowMs();
  const startedAtMs = Math.round(heardAtMs - (clock.steadyMs() - startedAtSteadyMs));
  return { ...self(), seat: 'leader', state: 'here', startedAtMs, heardAtMs, problems: [] };
}

function viewOf(
  one: HeardConsole,
  { look, leaderId, nowMs }: { look: RosterLook; leaderId: string; nowMs: number },
): ConsoleView {
  const { consoleId, url, host, version, silentMs, uptimeMs } = one;
  const heardAtMs = Math.max(0, Math.round(nowMs - silentMs));
  return {
    consoleId,
    url,
    host,
    version,
    seat: consoleId === leaderId ? 'leader' : 'standby',
    state: look.judgesMissing && !isHeard(one) ? 'missing' : 'here',
    startedAtMs: Math.max(0, Math.round(heardAtMs - uptimeMs)),
    heardAtMs,
    problems: problemsOf(one, look.consoles),
  };
}

/** Of one that is silent nothing is known but that. */
function problemsOf(one: HeardConsole, all: readonly HeardConsole[]): ConsoleProblem[] {
  if (!isHeard(one)) return [];
  const shared = all.some((other) => other.consoleId !== one.consoleId && other.url === one.url && isHeard(other));
  const problems: ConsoleProblem[] = [];
  if (shared) problems.push('same-address');
  if (!one.databaseAnswers) problems.push('database-away');
  if (one.differs !== null) problems.push(DIFFERENCES[one.differs]);
  return problems;
}

function isHeard({ silentMs }: HeardConsole): boolean {
  return silentMs < MISSING_AFTER_MS;
}

/** The leader, then those that are there, then the missing; by address. */
function inOrder(a: ConsoleView, b: ConsoleView): number {
  return rankOf(a) - rankOf(b) || (a.url < b.url ? -1 : Number(a.url > b.url));
}

function rankOf({ seat, state }: ConsoleView): number {
  return seat === 'leader' ? 0 : state === 'here' ? 1 : 2;
}

function groupOf(
  { leads, clock }: ConsoleContext,
  fence: number | null,
  place: string,
  { answeredInMs, problem, judgesMissing }: RosterLook,
): GroupView | null {
  // It has just lost the lead: the answer is refused on its way out.
  if (fence === null) return null;
  const leadsSinceMs = leads.beganAtMs(fence);
  return {
    fence,
    leadsSinceMs,
    redis: { place, answeredInMs, problem },
    judgesMissing,
    ...leads.lastDay(clock.nowMs()),
  };
}

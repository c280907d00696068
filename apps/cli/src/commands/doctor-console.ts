import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, type Client, createClient, withSessionCookies } from '@weir/client';
import type { ErrorCode } from '@weir/protocol';
import { OPTION_WAYS } from '@weir/console/options';
import { CommandError } from '../output/command-error.ts';
import { remedyFor } from '../output/connection-cause.ts';
import { formatDuration } from '../output/figures.ts';
import { readPassword } from '../top/password.ts';
import { VERSION } from '../version.ts';
import { type Finding, fail, ok, reasonOf, type Verdict, warn } from './doctor-finding.ts';
import { judgeConsoles, judgeLeaders, type NamedLeader } from './doctor-group.ts';
import { freeDisk, judgeFolder, judgePrivacy } from './doctor-machine.ts';
import { examineServer } from './doctor-network.ts';
import { judgeSeat } from './doctor-verdicts.ts';

const TIMEOUT_MS = 5_000;

/** Who logs in there, if anybody does. */
export interface Login {
  readonly user: string;
  readonly passwordFile: string | undefined;
}

/** A console as its agents and its users see it. */
export async function examineConsole(url: URL, login: Login | null, nowMs: () => number): Promise<Finding[]> {
  const target = url.origin;
  const { reached, verdicts } = await examineServer(new URL('/healthz', url), nowMs);
  if (reached) {
    const client = createClient({ baseUrl: url.href, fetch: withSessionCookies(), timeoutMs: TIMEOUT_MS });
    verdicts.push(...(await judgeHealth(client)));
    if (login !== null && verdicts.every(({ status }) => status !== 'fail'))
      verdicts.push(...(await judgeWithin(client, login)));
  }
  return verdicts.map((verdict) => ({ target, ...verdict }));
}

/** Consoles that are named together, as agents name them: whether they are one group. */
export async function examineGroup(urls: readonly URL[]): Promise<Finding[]> {
  const named = await Promise.all(urls.map(leaderNamedBy));
  const verdict = judgeLeaders(named.flatMap((each) => each ?? []));
  return verdict === null ? [] : [{ target: 'the consoles together', ...verdict }];
}

/** Null for a console that does not answer or has no leader, which is said of it alone. */
async function leaderNamedBy({ href, origin }: URL): Promise<NamedLeader | null> {
  try {
    const { group } = await createClient({ baseUrl: href, timeoutMs: TIMEOUT_MS }).call('health');
    if (group === undefined) return { console: origin, leader: null };
    return group.leaderUrl === null ? null : { console: origin, leader: group.leaderUrl };
  } catch {
    return null;
  }
}

/** Whether a console answers at an address. */
export async function isConsole(url: string): Promise<boolean> {
  try {
    await createClient({ baseUrl: url, timeoutMs: TIMEOUT_MS }).call('info');
    return true;
  } catch {
    return false;
  }
}

async function judgeHealth(client: Client): Promise<Verdict[]> {
  try {
    const { uptimeMs, group } = await client.call('health');
    if (group?.leaderUrl === null) return [judgeSeat(group)];
    const { version, windowSeconds } = await client.call('info');
    const running = ok('console', `Weir ${version}, up for ${formatDuration(uptimeMs)}, windows of ${windowSeconds} s`);
    const judged = group === undefined ? [running] : [running, judgeSeat(group)];
    if (version === VERSION) return judged;
    const found = `the console has ${version}, this command ${VERSION}`;
    return [...judged, warn('version', found, 'Upgrade the older one: consoles first, then agents.')];
  } catch (error) {
    if (error instanceof ApiError) return [fail('console', reasonOf(error), remedyOfRefusal(error))];
    return [fail('console', `no Weir console: ${reasonOf(error)}`, remedyOfRefusal(error))];
  }
}

/** What only somebody who is logged in may see. */
async function judgeWithin(client: Client, { user, passwordFile }: Login): Promise<Verdict[]> {
  const password = await readPassword({ passwordFile, environment: process.env, ask: null });
  try {
    const { role } = await client.call('login', { body: { username: user, password } });
    const consoles = await judgeGroup(client);
    await client.call('logout');
    return [ok('login', `${user} is ${role}`), ...(consoles === null ? [] : [consoles])];
  } catch (error) {
    return [fail('login', reasonOf(error), remedyOfRefusal(error))];
  }
}

const REFUSALS: Partial<Record<ErrorCode, string>> = {
  'wrong-credentials': `Check name and password; ${OPTION_WAYS.adminPassword.variable} at a start of the console sets that of admin.`,
  'storage-unavailable': 'The database of the console is away: start it, and look at it with --storage-url.',
  'no-leader': 'No console leads its group: look at Redis, and at the logs of the consoles.',
  'leader-timeout': 'The console that leads does not answer in time: look at its machine and its log.',
  'too-many-requests': 'Too many attempts from here: wait a minute, and look again.',
};

/** What to do about a console that answered "no", or not at all. */
function remedyOfRefusal(error: unknown): string {
  const otherwise = 'Check the address, and look into the log of the console.';
  return (error instanceof ApiError ? REFUSALS[error.code] : undefined) ?? remedyFor(error, 'http', otherwise);
}

/** Null for a console that is alone, and for one of a version that does not know of others. */
async function judgeGroup(client: Client): Promise<Verdict | null> {
  try {
    const view = await client.call('consoles');
    // The leader has just answered, so its own entry has its clock.
    return judgeConsoles(view, view.consoles[0]?.heardAtMs ?? 0);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not-found') return null;
    throw error;
  }
}

/** The state folder of agents on this machine. @param consoleUrls consoles of a group for which a credential is looked for. */
export async function examineStateDir(stateDir: string, consoleUrls: readonly URL[]): Promise<Finding[]> {
  const folder = await judgeFolder(stateDir, 'state-dir');
  const verdicts = [...folder];
  if (folder.every(({ status }) => status !== 'fail')) {
    verdicts.push(...(await judgeCredentials(stateDir, consoleUrls)), await freeDisk(stateDir));
  }
  return verdicts.map((verdict) => ({ target: stateDir, ...verdict }));
}

async function judgeCredentials(stateDir: string, consoleUrls: readonly URL[]): Promise<Verdict[]> {
  const files = (await readdir(stateDir).catch(() => [])).filter((name) => /^agent-.*\.json$/.test(name)).toSorted();
  const verdicts: Verdict[] = [];
  const consoles = new Set<string>();
  for (const name of files) {
    const path = join(stateDir, name);
    const belongsTo = await consoleOf(path);
    if (belongsTo === null) {
      verdicts.push(
        fail('credential', `${name} is damaged`, `Remove ${path}, and start the agent with an enrolment token.`),
      );
      continue;
    }
    consoles.add(belongsTo);
    verdicts.push(await judgePrivacy(path, 'credential', name));
  }
  const wanted = consoleUrls.map(({ href }) => href.replace(/\/+$/, ''));
  const remedy = 'Start the agent once with WEIR_TOKEN, the enrolment token of the Agents page.';
  if (files.length === 0) verdicts.push(warn('credential', 'no agent has enrolled from here yet', remedy));
  else if (wanted.length > 0 && !wanted.some((url) => consoles.has(url))) {
    verdicts.push(warn('credential', `none for ${wanted.join(', ')}, only for ${[...consoles].join(', ')}`, remedy));
  }
  return verdicts;
}

async function consoleOf(path: string): Promise<string | null> {
  try {
    const stored: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof stored !== 'object' || stored === null) return null;
    const [consoleUrl, credential] = ['consoleUrl', 'credential'].map((name): unknown => Reflect.get(stored, name));
    return typeof consoleUrl === 'string' && typeof credential === 'string' ? consoleUrl : null;
  } catch {
    return null;
  }
}

/** The same for several servers. @throws CommandError `url-invalid` that says which of them */
export function serverUrls(texts: readonly string[], flag: string): URL[] {
  const names = texts.map((_, index) =>
    texts.length === 1 ? flag : `${flag}, address ${index + 1} of ${texts.length},`,
  );
  return texts.map((text, index) => serverUrl(text, names[index] ?? flag));
}

/**
 * Reads the address of an HTTP server.
 * @throws CommandError `url-invalid`; the address is not repeated, it may hold a password
 */
export function serverUrl(text: string, flag: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  throw new CommandError('url-invalid', `${flag} is not the address of a server`, {
    remedy: 'Write http://host:port or https://host:port, without user name and password.',
  });
}

import type { GroupSeat } from '@weir/protocol';
import type { StoreHealth } from '@weir/quota';
import { formatBytes, formatCount, formatDuration } from '../output/figures.ts';
import { LEAST_OPEN_FILES, RAISE_OPEN_FILES } from '../output/open-files.ts';
import { fail, ok, type Verdict, warn } from './doctor-finding.ts';

/** Oldest Node that is tested. */
const OLDEST_NODE: readonly [major: number, minor: number] = [20, 19];

/** @param version as `process.versions.node` has it. */
export function judgeNode(version: string): Verdict {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isNew = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  if (isNew) return ok('node', `Node ${version}`);
  return fail('node', `Node ${version} is too old`, `Install Node ${OLDEST_NODE.join('.')} or newer.`);
}

/** Below this a console with a few hundred agents, or one busy agent, can run out. */
const GOOD_OPEN_FILES = 4_096;

/** @param limit most files and connections that this process may have open; Infinity: no limit; null: not known here. */
export function judgeOpenFiles(limit: number | null): Verdict {
  const remedy = RAISE_OPEN_FILES;
  if (limit === null) return warn('open-files', 'the limit cannot be read on this system', remedy);
  const found = limit === Number.POSITIVE_INFINITY ? 'no limit' : `up to ${formatCount(limit)} files and connections`;
  if (limit < LEAST_OPEN_FILES) return fail('open-files', `only ${found}`, remedy);
  return limit < GOOD_OPEN_FILES ? warn('open-files', found, remedy) : ok('open-files', found);
}

const GOOD_DISK_BYTES = 1_024 ** 3;
const LEAST_DISK_BYTES = 100 * 1_024 ** 2;

/** @param freeBytes what this user may still write. */
export function judgeDisk(freeBytes: number): Verdict {
  const found = `${formatBytes(freeBytes)} free`;
  const remedy =
    'Make room, or move the folder: a full disk stops jobs and the history (nothing is lost that was written).';
  if (freeBytes < LEAST_DISK_BYTES) return fail('disk', `only ${found}`, remedy);
  return freeBytes < GOOD_DISK_BYTES ? warn('disk', found, remedy) : ok('disk', found);
}

/** A grant's window and the margin of a short quota are of this size: below it nothing notices. */
const GOOD_SKEW_MS = 5_000;
/** S3 servers refuse requests whose date is further off. */
const MOST_SKEW_MS = 900_000;

/**
 * @param skewMs the other clock minus this one.
 * @param uncertaintyMs how far off that may be: the time the answer took, and the resolution of what was read.
 */
export function judgeClock(skewMs: number, uncertaintyMs: number): Verdict {
  const atLeastMs = Math.max(0, Math.abs(skewMs) - uncertaintyMs);
  if (atLeastMs === 0) return ok('clock', 'the same as here');
  const found = `at least ${formatDuration(atLeastMs)} ${skewMs > 0 ? 'ahead of' : 'behind'} this machine`;
  const remedy = 'Run a time service (chrony, systemd-timesyncd) on both machines.';
  if (atLeastMs >= MOST_SKEW_MS) return fail('clock', found, remedy);
  return atLeastMs >= GOOD_SKEW_MS ? warn('clock', found, remedy) : ok('clock', found);
}

const DAY_MS = 86_400_000;
/** Less than what automatic renewals leave (a third of 90 days): it did not come. */
const GOOD_CERTIFICATE_MS = 21 * DAY_MS;

/** @param validToMs end of a certificate, in ms since 1970. */
export function judgeCertificate(validFromMs: number, validToMs: number, nowMs: number): Verdict {
  const until = new Date(validToMs).toISOString().slice(0, 10);
  const remedy = 'Renew the certificate, and start the console again: it reads its files when it starts.';
  if (validFromMs > nowMs) {
    const from = new Date(validFromMs).toISOString();
    return fail(
      'certificate',
      `not valid before ${from}`,
      'Check the clock of this machine, or make the certificate anew.',
    );
  }
  if (validToMs <= nowMs) return fail('certificate', `expired on ${until}`, remedy);
  const days = Math.floor((validToMs - nowMs) / DAY_MS);
  const found = `valid until ${until} (${days} ${days === 1 ? 'day' : 'days'})`;
  return validToMs - nowMs < GOOD_CERTIFICATE_MS ? warn('certificate', found, remedy) : ok('certificate', found);
}

/** Full from here: an eviction or a refused write is near. */
const FULL_SHARE = 0.9;

/** @param audit the command that finds and repairs undated entries. */
export function judgeStoreHealth(health: StoreHealth, audit: string): Verdict[] {
  const { evictionPolicy, evicted, undated, entries, usedBytes, maxBytes } = health;
  const verdicts: Verdict[] = [];
  if (evictionPolicy === undefined) {
    verdicts.push(warn('eviction', 'the server does not tell its policy', 'Allow this user the command INFO.'));
  } else if (evictionPolicy === 'noeviction') {
    verdicts.push(ok('eviction', 'noeviction: a full server refuses writes instead of forgetting counters'));
  } else if (evictionPolicy === 'lru') {
    const found = 'a full server forgets counters, and lets subjects take more than their limit';
    verdicts.push(
      warn('eviction', found, 'Give memcached memory to spare (-m), and watch its evictions; or use Redis.'),
    );
  } else {
    const found = `${evictionPolicy}: a full server forgets counters, and lets subjects take more than their limit`;
    verdicts.push(warn('eviction', found, 'Set maxmemory-policy noeviction, on a server that holds counters only.'));
  }
  if (evicted !== undefined && evicted > 0) {
    const found = `${formatCount(evicted)} entries were evicted since the server started`;
    verdicts.push(warn('evicted', found, 'Counters may be among them: give the server more memory.'));
  }
  if (undated !== undefined && entries !== undefined) {
    const found = `${formatCount(undated)} of ${formatCount(entries)} entries have no deadline`;
    verdicts.push(undated === 0 ? ok('undated', found) : warn('undated', found, `They stay for ever: run "${audit}".`));
  }
  if (usedBytes !== undefined && maxBytes !== undefined) {
    const found = `${formatBytes(usedBytes)} of ${formatBytes(maxBytes)} used`;
    const isFull = usedBytes >= maxBytes * FULL_SHARE;
    verdicts.push(
      isFull ? warn('memory', found, 'Give the server more memory before it is full.') : ok('memory', found),
    );
  }
  return verdicts;
}

/** What a PostgreSQL server says of itself. */
export interface PostgresFacts {
  /** `server_version_num`: 150007 is 15.7. */
  readonly version: number;
  readonly encoding: string;
  readonly schema: string | null;
  readonly mayCreate: boolean;
  readonly isStandby: boolean;
  /** Connections that are still free. */
  readonly freeConnections: number;
}

/** The consoles' oldest, and what one console opens at most. */
const OLDEST_POSTGRES = 130_000;
const CONNECTIONS_OF_A_CONSOLE = 8;

export function judgePostgres(facts: PostgresFacts): Verdict[] {
  const { version, encoding, schema, mayCreate, isStandby, freeConnections } = facts;
  const name = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`;
  return [
    version >= OLDEST_POSTGRES
      ? ok('version', name)
      : fail('version', `${name} is too old`, 'Upgrade it to 13 or newer.'),
    encoding === 'UTF8'
      ? ok('encoding', encoding)
      : fail('encoding', `${encoding} cannot hold every name`, 'Make the database with encoding UTF8.'),
    schema !== null && mayCreate
      ? ok('rights', `may make tables in the schema ${schema}`)
      : fail(
          'rights',
          schema === null ? 'no schema of the search path exists' : `may not make tables in the schema ${schema}`,
          'Make this user the owner of the database, or grant CREATE on the schema.',
        ),
    isStandby
      ? fail('primary', 'this server is a standby: it only reads', 'Name the primary.')
      : ok('primary', 'this server takes writes'),
    freeConnections >= CONNECTIONS_OF_A_CONSOLE
      ? ok('connections', `${formatCount(freeConnections)} free`)
      : warn(
          'connections',
          `${formatCount(freeConnections)} free, and a console opens up to ${CONNECTIONS_OF_A_CONSOLE}`,
          'Raise max_connections, or end what holds them.',
        ),
  ];
}

/** What a console of a group says of it. */
export function judgeSeat({ seat, fence, leaderUrl }: GroupSeat): Verdict {
  if (leaderUrl === null) {
    return fail('group', 'no console leads: nothing is answered', 'Look at Redis, and at the logs of the consoles.');
  }
  const term = fence === null ? 'a term that begins' : `term ${fence}`;
  return ok('group', seat === 'leader' ? `leads, ${term}` : `standby; the leader is ${leaderUrl}, ${term}`);
}

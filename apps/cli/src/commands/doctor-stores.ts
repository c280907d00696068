import { Client } from 'pg';
import { openQuotas, type Quotas, type Store } from '@weir/quota';
import { MemcachedStore } from '@weir/quota-memcached';
import { RedisStore } from '@weir/quota-redis';
import { probeBucket, probeEndpoint, ProbeError, type ProbeErrorKind, type S3ClientOptions } from '@weir/s3-copy';
import { CommandError } from '../output/command-error.ts';
import { formatCount } from '../output/figures.ts';
import { remedyFor } from '../output/connection-cause.ts';
import { PATIENCE_MS, withinPatience } from '../output/patience.ts';
import { type Finding, fail, ok, reasonOf, type Verdict } from './doctor-finding.ts';
import { examineServer } from './doctor-network.ts';
import { judgeClock, judgePostgres, judgeStoreHealth, type PostgresFacts } from './doctor-verdicts.ts';
import { connectMemcached, connectRedisStore, parseServerUrl, redacted } from './quota-servers.ts';

/**
 * A quota store: clock, eviction, undated entries, and whether it counts.
 * @throws CommandError `url-invalid`
 */
export async function examineStore(text: string, nowMs: () => number): Promise<Finding[]> {
  const target = redacted(text);
  const opened = await openStore(text).catch((error: unknown) => {
    if (error instanceof CommandError && error.code === 'cannot-connect') return error;
    throw error;
  });
  if (opened instanceof Error) return [{ target, ...fail('connection', opened.message, opened.remedy ?? '') }];
  // Closing the quotas closes the store, so it comes last.
  const quotas = openQuotas({ store: opened.store, healthEveryMs: 0 });
  try {
    const verdicts = [await withinPatience(storeClock(opened.store, nowMs))];
    verdicts.push(...judgeStoreHealth(await withinPatience(opened.store.health()), `weir audit ${target}`));
    // Last: a store that refused a write connects anew.
    verdicts.push(await judgeCounting(quotas, opened.store));
    return verdicts.map((verdict) => ({ target, ...verdict }));
  } catch (error) {
    const kind = target.startsWith('memcached') ? 'memcached' : 'redis';
    const otherwise = 'Check that the server runs and what this user may do: INFO, TIME, and scripts.';
    return [{ target, ...fail('answer', reasonOf(error), remedyFor(error, kind, otherwise)) }];
  } finally {
    await quotas.close();
    opened.close();
  }
}

async function openStore(text: string): Promise<{ store: Store; close(): void }> {
  const server = parseServerUrl(text);
  if (server.kind === 'memcached') {
    const client = await connectMemcached(server.servers);
    return { store: new MemcachedStore(client), close: () => client.close() };
  }
  const connection = await connectRedisStore(server.url);
  return { store: new RedisStore({ client: connection.client }), close: () => connection.destroy() };
}

/** Counts once, in a counter that ends after a minute: rights, replicas and full servers show themselves. */
async function judgeCounting(quotas: Quotas, store: Store): Promise<Verdict> {
  const remedy = 'Name a primary, with room for writes, and a user that may write and run scripts.';
  try {
    const quota = quotas.define({ id: 'weir-doctor', limit: 1_000_000, period: 'minute', budgetMs: PATIENCE_MS });
    const { source } = await quota.take('doctor');
    if (source.startsWith('outage')) return fail('counting', 'it did not count', remedy);
    return ok('counting', `counts, and every counter gets a deadline (${store.profile.capability})`);
  } catch (error) {
    return fail('counting', `it did not count: ${reasonOf(error)}`, remedy);
  }
}

async function storeClock(store: Store, nowMs: () => number): Promise<Verdict> {
  const startedMs = nowMs();
  const theirsMs = await store.time();
  const tookMs = nowMs() - startedMs;
  // memcached tells whole seconds.
  return judgeClock(theirsMs - (startedMs + tookMs / 2), 1_000 + tookMs / 2);
}

/** What judges a database by one query. */
const FACTS = `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
  current_schema() as schema, coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as "mayCreate",
  pg_is_in_recovery() as "isStandby",
  (current_setting('max_connections')::int - (select count(*) from pg_stat_activity))::int as "freeConnections",
  (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`;

/**
 * The database of consoles. Nothing in it is changed.
 * @throws CommandError `url-invalid`
 */
export async function examinePostgres(text: string, nowMs: () => number): Promise<Finding[]> {
  if (!/^postgres(ql)?:\/\/.+/.test(text) || !URL.canParse(text)) {
    throw new CommandError('url-invalid', 'the address of the database is not one', {
      remedy: 'Write postgres://user:password@host:port/database.',
    });
  }
  const target = redacted(text);
  const client = new Client({
    connectionString: text,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  // A connection that ends is told by the call that fails.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const startedMs = nowMs();
    const { rows } = await client.query(FACTS);
    const tookMs = nowMs() - startedMs;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the query asks for
    const facts = rows[0] as PostgresFacts & { nowMs: number };
    const clock = judgeClock(facts.nowMs - (startedMs + tookMs / 2), 1 + tookMs / 2);
    return [ok('connection', 'logged in'), ...judgePostgres(facts), clock].map((verdict) => ({ target, ...verdict }));
  } catch (error) {
    const otherwise = 'Check that it runs, the address, user, password and the name of the database.';
    return [{ target, ...fail('connection', reasonOf(error), remedyFor(error, 'postgres', otherwise)) }];
  } finally {
    await client.end().catch(() => undefined);
  }
}

const S3_REMEDIES: Record<ProbeErrorKind, string> = {
  unreachable: 'Check that it runs, the address, and that no firewall is between.',
  tls: 'Name the authority that signed its certificate in NODE_EXTRA_CA_CERTS.',
  'not-s3': 'Give the address of the S3 API, not that of a web console or a proxy.',
  'wrong-credentials': 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and --s3-region.',
  'access-denied': 'Allow this key to list, read and write the bucket.',
  'no-such-bucket': 'Make the bucket, or correct its name.',
  'server-error': 'Look into the log of the S3 server.',
};

/** An S3 server: name, connection, certificate, clock, credentials, bucket. */
export async function examineS3(
  url: URL,
  options: Omit<S3ClientOptions, 'url'> | null,
  bucket: string | undefined,
  nowMs: () => number,
): Promise<Finding[]> {
  const target = url.origin;
  const { reached, verdicts } = await examineServer(url, nowMs);
  if (reached && options === null) {
    const remedy = 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.';
    verdicts.push({ check: 'credentials', status: 'warn', found: 'none were given: not tried', remedy });
  } else if (reached && options !== null) {
    verdicts.push(...(await judgeS3({ ...options, url: url.href }, bucket)));
  }
  return verdicts.map((verdict) => ({ target, ...verdict }));
}

async function judgeS3(options: S3ClientOptions, bucket: string | undefined): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  try {
    const { buckets } = await probeEndpoint(options);
    const seen =
      buckets === null ? 'accepted; may not list buckets' : `accepted; ${formatCount(buckets.length)} buckets`;
    verdicts.push(ok('credentials', seen));
    if (bucket !== undefined) {
      await probeBucket(options, bucket);
      verdicts.push(ok('bucket', `${bucket} is there`));
    }
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    const remedy =
      error.kind === 'unreachable' ? remedyFor(error, 'http', S3_REMEDIES.unreachable) : S3_REMEDIES[error.kind];
    verdicts.push(fail(verdicts.length === 0 ? 'credentials' : 'bucket', error.message, remedy));
  }
  return verdicts;
}

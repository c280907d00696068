/**
 * The way from one version of the database to the next; only ever forward. Version n is reached by running the first n.
 * A migration that was released is never changed: databases exist that have run it.
 *
 * They are written once, in the words of SQLite, and read by both engines: `postgres/ddl.ts` says which words PostgreSQL
 * has for them. A test compares the tables that come of it. Use nothing but `text`, `integer`, `real`,
 * `integer primary key autoincrement`, `strict` and `without rowid`.
 */
export const MIGRATIONS: readonly string[] = [
  `
  create table agents (
    agent_id text primary key,
    name text not null,
    host text not null,
    version text not null,
    protocol_version integer not null,
    limiter integer not null,
    revoked integer not null,
    credential_hash text not null,
    enrolled_at_ms integer not null,
    last_heartbeat_at_ms integer,
    boot_id text,
    holdoff_until_ms integer,
    holdoff_count integer not null
  ) strict;
  create unique index agents_by_name on agents (name) where revoked = 0;

  create table endpoints (
    endpoint_id text primary key,
    name text not null unique,
    url text not null,
    region text not null,
    path_style integer not null,
    access_key_id text not null,
    sealed_secret text not null,
    created_at_ms integer not null
  ) strict;

  create table jobs (
    sequence integer primary key autoincrement,
    job_id text not null unique,
    name text not null,
    source_endpoint_id text not null,
    target_endpoint_id text not null,
    source text not null,
    target text not null,
    mode text not null,
    state text not null,
    error text,
    created_by text not null,
    created_at_ms integer not null,
    started_at_ms integer,
    finished_at_ms integer
  ) strict;
  create index jobs_by_state on jobs (state, sequence);

  create table shards (
    shard_id text primary key,
    job_id text not null references jobs (job_id),
    position integer not null,
    kind text not null,
    start_after text,
    end_at text,
    keys text,
    key_count integer not null,
    state text not null,
    lease_id text,
    agent_id text,
    checkpoint text,
    split_into integer not null,
    split_at text,
    base text not null,
    at_checkpoint text not null,
    listed integer not null,
    copied integer not null,
    skipped integer not null,
    failed integer not null,
    bytes integer not null,
    parked_ms integer not null,
    retries integer not null,
    base_holdoffs integer not null,
    holdoffs integer not null
  ) strict;
  create index shards_by_job on shards (job_id, position);
  create index shards_queued on shards (job_id, position) where state = 'queued';
  create index shards_leased on shards (agent_id) where state = 'leased';

  create table failures (
    job_id text not null,
    key text not null,
    shard_id text not null,
    code text not null,
    message text not null,
    request_id text,
    primary key (job_id, key)
  ) strict, without rowid;
  create index failures_by_shard on failures (shard_id, key);

  create table governor_settings (
    id integer primary key check (id = 1),
    version integer not null,
    changed_by text not null,
    changed_at_ms integer not null,
    settings text not null
  ) strict;

  create table states (name text primary key, json text not null) strict;

  create table accounts (username text primary key, role text not null, password_hash text not null) strict;
  create table sessions (
    token_hash text primary key,
    username text not null references accounts (username),
    created_at_ms integer not null,
    expires_at_ms integer not null
  ) strict;
  create index sessions_by_end on sessions (expires_at_ms);

  create table samples (at_ms integer primary key, limit_tps real, total_tps real not null) strict;
  create table agent_samples (
    at_ms integer not null,
    agent_id text not null,
    actual_tps real not null,
    allocated_tps real not null,
    mbps real not null,
    primary key (at_ms, agent_id)
  ) strict, without rowid;

  create table windows (
    agent_id text not null,
    epoch text not null,
    window_number integer not null,
    ended_at_ms integer not null,
    window_ms integer not null,
    allocated_tps real not null,
    credit_budget integer not null,
    charged_ops integer not null,
    actual_tps real not null,
    peak_second_tps real not null,
    primary key (agent_id, epoch, window_number)
  ) strict, without rowid;
  create index windows_by_end on windows (ended_at_ms);

  create table alarms (
    alarm_id text primary key,
    raised_at_ms integer not null,
    ended_at_ms integer,
    alarm text not null
  ) strict;
  create index alarms_by_time on alarms (raised_at_ms);

  create table audit (
    entry integer primary key autoincrement,
    at_ms integer not null,
    actor text not null,
    action text not null,
    subject text not null,
    detail text not null
  ) strict;
  `,
  // History by the hour and the day: samples are added up in buckets, those of earlier versions too.
  `
  create table history_buckets (
    bucket_ms integer not null,
    at_ms integer not null,
    samples integer not null,
    limit_tps real,
    total_sum real not null,
    total_max real not null,
    primary key (bucket_ms, at_ms)
  ) strict, without rowid;
  create table history_agents (
    bucket_ms integer not null,
    at_ms integer not null,
    agent_id text not null,
    tps_sum real not null,
    primary key (bucket_ms, at_ms, agent_id)
  ) strict, without rowid;
  create table monitor_events (event integer primary key autoincrement, at_ms integer not null, detail text not null) strict;
  create index monitor_events_by_time on monitor_events (at_ms);

  with lengths (bucket_ms) as (values (120000), (600000), (3600000))
  insert into history_buckets
  select bucket_ms, at_ms / bucket_ms * bucket_ms, count(*), max(limit_tps), sum(total_tps), max(total_tps)
  from samples, lengths group by 1, 2;
  with lengths (bucket_ms) as (values (120000), (600000), (3600000))
  insert into history_agents
  select bucket_ms, at_ms / bucket_ms * bucket_ms, agent_id, sum(actual_tps)
  from agent_samples, lengths group by 1, 2, 3;
  `,
  `
  alter table accounts add column created_at_ms integer;
  alter table accounts add column created_by text;
  alter table accounts add column password_changed_at_ms integer;
  alter table accounts add column last_login_at_ms integer;
  create index sessions_by_user on sessions (username);

  alter table audit add column address text;
  create index audit_by_actor on audit (actor, entry);

  create table webhooks (
    webhook_id text primary key,
    name text not null unique,
    host text not null,
    sealed_url text not null,
    sealed_signing_secret text not null,
    format text not null,
    reminders integer not null,
    created_at_ms integer not null,
    created_by text not null
  ) strict;
  create table deliveries (
    delivery_id text primary key,
    webhook_id text not null references webhooks (webhook_id),
    alarm_id text not null,
    event text not null,
    body text not null,
    created_at_ms integer not null,
    state text not null,
    attempts integer not null,
    next_attempt_at_ms integer,
    delivered_at_ms integer,
    problem text
  ) strict;
  create index deliveries_due on deliveries (next_attempt_at_ms) where state = 'waiting';
  create index deliveries_by_webhook on deliveries (webhook_id, created_at_ms);

  create table quota_stores (
    store_id text primary key,
    name text not null unique,
    kind text not null,
    address text not null,
    username text,
    sealed_password text,
    created_at_ms integer not null,
    created_by text not null
  ) strict;
  create table quotas (
    definition_id text primary key,
    store_id text not null,
    quota text not null,
    definition text not null,
    changed_at_ms integer not null,
    changed_by text not null,
    unique (store_id, quota)
  ) strict;
  create table quota_minutes (
    definition_id text not null,
    at_ms integer not null,
    admitted integer not null,
    refused integer not null,
    subjects_at_limit integer,
    primary key (definition_id, at_ms)
  ) strict, without rowid;
  create index quota_minutes_by_time on quota_minutes (at_ms);
  create table quota_audits (audit_id text primary key, started_at_ms integer not null, run text not null) strict;
  `,
  `
  alter table jobs add column options text not null default '{}';
  alter table shards add column excluded integer not null default 0;
  alter table shards add column seen text;
  alter table shards add column weight real not null default 1;
  alter table shards add column listed_all integer not null default 0;
  alter table shards add column dirty integer not null default 0;
  alter table shards add column lease_kind text not null default 'copy';
  alter table shards add column manifest text;
  alter table shards add column base_held_ms integer not null default 0;
  alter table shards add column held_ms integer not null default 0;
  alter table shards add column base_waited_ms integer not null default 0;
  alter table shards add column waited_ms integer not null default 0;
  create index shards_held on shards (job_id) where state = 'leased';
  create index shards_dirty on shards (job_id, position) where state = 'queued' and dirty = 1;
  create table planned (
    job_id text not null,
    key text not null,
    size_bytes integer,
    action text not null,
    primary key (job_id, key)
  ) strict, without rowid;
  `,
  // Messages carry the order in which they were made: row numbers of SQLite, which other engines have not, are no promise.
  `
  create table deliveries_in_order (
    sequence integer primary key autoincrement,
    delivery_id text not null unique,
    webhook_id text not null references webhooks (webhook_id),
    alarm_id text not null,
    event text not null,
    body text not null,
    created_at_ms integer not null,
    state text not null,
    attempts integer not null,
    next_attempt_at_ms integer,
    delivered_at_ms integer,
    problem text
  ) strict;
  insert into deliveries_in_order (delivery_id, webhook_id, alarm_id, event, body, created_at_ms, state, attempts,
    next_attempt_at_ms, delivered_at_ms, problem)
  select delivery_id, webhook_id, alarm_id, event, body, created_at_ms, state, attempts, next_attempt_at_ms,
    delivered_at_ms, problem from deliveries order by rowid;
  drop table deliveries;
  alter table deliveries_in_order rename to deliveries;
  create index deliveries_waiting on deliveries (webhook_id, sequence) where state = 'waiting';
  create index deliveries_by_webhook on deliveries (webhook_id, sequence);
  `,
  // The version of the wire that a job needs: jobs from before there were options ask for nothing, and have no manifest.
  // The limit that was set, beside the one that was in force. The ends of jobs, for those that are kept for a time only.
  `
  alter table jobs add column needs_version integer not null default 2;
  update jobs set options = '{"manifest":false}' where options = '{}';
  update jobs set needs_version = 1
    where options = '{"manifest":false}' and source_endpoint_id <> target_endpoint_id;
  create index jobs_by_end on jobs (finished_at_ms) where finished_at_ms is not null;
  alter table samples add column set_limit_tps real;
  alter table history_buckets add column set_limit_tps real;
  alter table history_buckets add column lowered_limit_tps real;
  `,
  // Saves say which version they were made from; what was changed is written down field by field.
  `
  alter table quotas add column version integer not null default 1;
  alter table audit add column changes text;
  `,
];

import type { Generated } from 'kysely';

/** Tables of the database as kysely sees them. Booleans are 0 and 1, lists and objects JSON text. */
export interface Tables {
  agents: {
    agent_id: string;
    name: string;
    host: string;
    version: string;
    protocol_version: number;
    limiter: number;
    revoked: number;
    credential_hash: string;
    enrolled_at_ms: number;
    last_heartbeat_at_ms: number | null;
    boot_id: string | null;
    holdoff_until_ms: number | null;
    holdoff_count: number;
  };
  endpoints: {
    endpoint_id: string;
    name: string;
    url: string;
    region: string;
    path_style: number;
    access_key_id: string;
    sealed_secret: string;
    created_at_ms: number;
  };
  jobs: JobRow & { sequence: Generated<number> };
  shards: ShardRow;
  planned: { job_id: string; key: string; size_bytes: number | null; action: string };
  failures: {
    job_id: string;
    key: string;
    shard_id: string;
    code: string;
    message: string;
    request_id: string | null;
  };
  governor_settings: { id: 1; version: number; changed_by: string; changed_at_ms: number; settings: string };
  states: { name: string; json: string };
  accounts: {
    username: string;
    role: string;
    password_hash: string;
    created_at_ms: number | null;
    created_by: string | null;
    password_changed_at_ms: number | null;
    last_login_at_ms: number | null;
  };
  sessions: { token_hash: string; username: string; created_at_ms: number; expires_at_ms: number };
  samples: {
    at_ms: number;
    limit_tps: number | null;
    set_limit_tps: number | null;
    total_tps: number;
  };
  agent_samples: {
    at_ms: number;
    agent_id: string;
    actual_tps: number;
    allocated_tps: number;
    mbps: number;
  };
  history_buckets: {
    bucket_ms: number;
    at_ms: number;
    samples: number;
    limit_tps: number | null;
    set_limit_tps: number | null;
    lowered_limit_tps: number | null;
    total_sum: number;
    total_max: number;
  };
  history_agents: { bucket_ms: number; at_ms: number; agent_id: string; tps_sum: number };
  monitor_events: { event: Generated<number>; at_ms: number; detail: string };
  windows: {
    agent_id: string;
    epoch: string;
    window_number: number;
    ended_at_ms: number;
    window_ms: number;
    allocated_tps: number;
    credit_budget: number;
    charged_ops: number;
    actual_tps: number;
    peak_second_tps: number;
  };
  alarms: {
    alarm_id: string;
    raised_at_ms: number;
    ended_at_ms: number | null;
    alarm: string;
  };
  audit: {
    entry: Generated<number>;
    at_ms: number;
    actor: string;
    action: string;
    subject: string;
    detail: string;
    address: string | null;
    changes: string | null;
  };
  webhooks: {
    webhook_id: string;
    name: string;
    host: string;
    sealed_url: string;
    sealed_signing_secret: string;
    format: string;
    reminders: number;
    created_at_ms: number;
    created_by: string;
  };
  deliveries: {
    sequence: Generated<number>;
    delivery_id: string;
    webhook_id: string;
    alarm_id: string;
    event: string;
    body: string;
    created_at_ms: number;
    state: string;
    attempts: number;
    next_attempt_at_ms: number | null;
    delivered_at_ms: number | null;
    problem: string | null;
  };
  quota_stores: {
    store_id: string;
    name: string;
    kind: string;
    address: string;
    username: string | null;
    sealed_password: string | null;
    created_at_ms: number;
    created_by: string;
  };
  quotas: {
    definition_id: string;
    store_id: string;
    quota: string;
    definition: string;
    version: number;
    changed_at_ms: number;
    changed_by: string;
  };
  quota_minutes: {
    definition_id: string;
    at_ms: number;
    admitted: number;
    refused: number;
    subjects_at_limit: number | null;
  };
  quota_audits: { audit_id: string; started_at_ms: number; run: string };
}

export interface JobRow {
  job_id: string;
  name: string;
  source_endpoint_id: string;
  target_endpoint_id: string;
  source: string;
  target: string;
  mode: string;
  options: string;
  needs_version: number;
  state: string;
  error: string | null;
  created_by: string;
  created_at_ms: number;
  started_at_ms: number | null;
  finished_at_ms: number | null;
}

export interface ShardRow {
  shard_id: string;
  job_id: string;
  position: number;
  kind: string;
  start_after: string | null;
  end_at: string | null;
  keys: string | null;
  key_count: number;
  state: string;
  lease_id: string | null;
  agent_id: string | null;
  checkpoint: string | null;
  split_into: number;
  split_at: string | null;
  base: string;
  at_checkpoint: string;
  listed: number;
  copied: number;
  skipped: number;
  failed: number;
  bytes: number;
  parked_ms: number;
  retries: number;
  base_holdoffs: number;
  holdoffs: number;
  excluded: number;
  seen: string | null;
  weight: number;
  listed_all: number;
  dirty: number;
  lease_kind: string;
  manifest: string | null;
  base_held_ms: number;
  held_ms: number;
  base_waited_ms: number;
  waited_ms: number;
}

/** The servers of a Swift, besides its proxy and the memcached that it keeps its rates in. */
export const SWIFT_STORAGE = ['account', 'container', 'object'] as const;
export type SwiftStorage = (typeof SWIFT_STORAGE)[number];

/**
 * Limits of the `ratelimit` filter. A request over a rate waits; one that would have to wait for `maxSleepSeconds` or
 * longer is answered with 503 SlowDown. The rates of a bucket hold once it has an object, seen within a second: put one
 * there first.
 */
export interface SwiftRateLimit {
  /** PUT and DELETE of objects in one bucket, per second. Default: none. */
  containerWritesPerSecond?: number;
  /** Listings of one bucket, per second. Default: none. */
  containerListingsPerSecond?: number;
  /** PUT and DELETE of buckets, per second. Default: none. */
  accountWritesPerSecond?: number;
  /** Default 0.2. */
  maxSleepSeconds?: number;
  /** What was not used of the rates in so many seconds may be caught up at once. Whole seconds, default 1. */
  burstSeconds?: number;
}

/** Ports and places of one Swift. */
export interface SwiftNode {
  dir: string;
  /** Who the daemons run as. */
  user: string;
  port: number;
  memcachedPort: number;
  storagePorts: Readonly<Record<SwiftStorage, number>>;
  accessKeyId: string;
  secretAccessKey: string;
  ratelimit: SwiftRateLimit | null;
}

/** swift.conf: what all servers of one Swift have in common. */
export function swiftConfig(hashSecret: string): string {
  return `[swift-hash]
swift_hash_path_suffix = ${hashSecret}
swift_hash_path_prefix = ${hashSecret}
[storage-policy:0]
name = single
policy_type = replication
default = yes
[swift-constraints]
max_header_size = 16384
`;
}

/** No worker processes: a forked one would not end with its owner. */
function common(node: SwiftNode, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${node.user}
swift_dir = ${node.dir}
log_address = /dev/null
log_level = WARNING
`;
}

export function storageConfig(node: SwiftNode, storage: SwiftStorage): string {
  return `${common(node, node.storagePorts[storage])}log_name = ${storage}
devices = ${node.dir}/devices
mount_check = false
disable_fallocate = true
recon_cache_path = ${node.dir}/cache
[pipeline:main]
pipeline = healthcheck ${storage}-server
[app:${storage}-server]
use = egg:swift#${storage}
[filter:healthcheck]
use = egg:swift#healthcheck
[${storage}-replicator]
[${storage}-updater]
[${storage}-auditor]
`;
}

/** Filters without settings of their own. */
const PLAIN_FILTERS = [
  'catch_errors',
  'gatekeeper',
  'healthcheck',
  'listing_formats',
  'bulk',
  'copy',
  'slo',
  'dlo',
  'symlink',
];

export function proxyConfig(node: SwiftNode): string {
  const limited = node.ratelimit === null ? '' : ' ratelimit';
  // The access key is `account:user`; tempauth's option has the same with `_`.
  const user = `user_${node.accessKeyId.replace(':', '_')} = ${node.secretAccessKey} .admin`;
  return `${common(node, node.port)}[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth${limited} copy slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
recheck_container_existence = 1
[filter:tempauth]
use = egg:swift#tempauth
${user}
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = us-east-1
max_multi_delete_objects = 1000
max_upload_part_num = 10000
min_segment_size = 5242880
allow_multipart_uploads = true
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${node.memcachedPort}
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
allow_object_versioning = true
${node.ratelimit === null ? '' : ratelimitFilter(node.ratelimit)}${PLAIN_FILTERS.map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`).join('')}`;
}

function ratelimitFilter(limits: SwiftRateLimit): string {
  // The number in the name is the size of a bucket, in objects, from which on the rate holds.
  const rates = {
    container_ratelimit_0: limits.containerWritesPerSecond,
    container_listing_ratelimit_0: limits.containerListingsPerSecond,
    account_ratelimit: limits.accountWritesPerSecond,
    max_sleep_time_seconds: limits.maxSleepSeconds ?? 0.2,
    rate_buffer_seconds: limits.burstSeconds ?? 1,
  };
  const lines = Object.entries(rates).filter(([, rate]) => rate !== undefined);
  return `[filter:ratelimit]\nuse = egg:swift#ratelimit\n${lines.map(([name, rate]) => `${name} = ${String(rate)}\n`).join('')}`;
}

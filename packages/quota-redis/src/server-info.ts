import type { StoreHealth } from '@weir/quota';

/** Fields of an INFO reply. */
export function parseInfo(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0 && !line.startsWith('#')) fields.set(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return fields;
}

/** Entries of all databases, and how many of them have no deadline. */
function keyspace(fields: ReadonlyMap<string, string>): { entries: number; undated: number } {
  let entries = 0;
  let undated = 0;
  for (const [name, value] of fields) {
    const counts = /^db\d+$/.test(name) ? /keys=(\d+),expires=(\d+)/.exec(value) : null;
    if (counts === null) continue;
    entries += Number(counts[1]);
    undated += Number(counts[1]) - Number(counts[2]);
  }
  return { entries, undated };
}

function sum(infos: readonly ReadonlyMap<string, string>[], field: string): number | undefined {
  const values = infos.map((fields) => Number(fields.get(field)));
  return values.every(Number.isFinite) ? values.reduce((total, value) => total + value, 0) : undefined;
}

function distinct(infos: readonly ReadonlyMap<string, string>[], field: string): string | undefined {
  const values = infos.flatMap((fields) => fields.get(field) ?? []);
  return values.length === 0 ? undefined : [...new Set(values)].sort().join(',');
}

/** The health of one server or of all primaries of a cluster: sums, and what differs joined by commas. */
export function healthOf(replies: readonly string[]): StoreHealth {
  const infos = replies.map(parseInfo);
  const counts = infos.map(keyspace);
  // The run id changes with every start, and another server that answers after a failover has another one.
  const instance = distinct(infos, 'run_id');
  const evictionPolicy = distinct(infos, 'maxmemory_policy');
  const evicted = sum(infos, 'evicted_keys');
  const usedBytes = sum(infos, 'used_memory');
  const maxBytes = sum(infos, 'maxmemory');
  return {
    ...(instance === undefined ? {} : { instance }),
    ...(evictionPolicy === undefined ? {} : { evictionPolicy }),
    ...(evicted === undefined ? {} : { evicted }),
    ...(usedBytes === undefined ? {} : { usedBytes }),
    // 0 stands for no limit.
    ...(maxBytes === undefined || maxBytes === 0 ? {} : { maxBytes }),
    entries: counts.reduce((total, { entries }) => total + entries, 0),
    undated: counts.reduce((total, { undated }) => total + undated, 0),
  };
}

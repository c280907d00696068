import { readdirSync, readFileSync } from 'node:fs';
import type { PostgresServer } from '@weir/testkit/postgres';

/** What one process holds. */
export interface ProcessSample {
  name: string;
  pid: number;
  rssMiB: number;
  /** Files, sockets and timers that the kernel keeps for it. */
  handles: number;
}

/** Everything that is looked at, once a minute. */
export interface SoakSample {
  /** Since the start, in s. */
  atSeconds: number;
  processes: ProcessSample[];
  /** Keys in Redis, and those of them without a deadline. */
  keys: number;
  undatedKeys: number;
  rows: Record<string, number>;
  windows: number;
  windowsAboveBudget: number;
  jobsEnded: number;
  jobsNotComplete: number;
}

/** @throws when the process has ended: that is a finding too */
export function sampleProcess(name: string, pid: number): ProcessSample {
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return { name, pid, rssMiB: Number(rss?.[1] ?? 0) / 1_024, handles: readdirSync(`/proc/${pid}/fd`).length };
}

/** Keys and those without a deadline, from `INFO keyspace`. */
export function keysOf(info: string): { keys: number; undated: number } {
  const found = [...info.matchAll(/keys=(\d+),expires=(\d+)/g)];
  const keys = found.reduce((sum, [, all]) => sum + Number(all), 0);
  return { keys, undated: keys - found.reduce((sum, [, , dated]) => sum + Number(dated), 0) };
}

/** Rows of every table of a database, counted. */
export async function countRows(server: PostgresServer, database: string): Promise<Record<string, number>> {
  const query = (sql: string): Promise<string> => server.program('psql', '-d', database, '-At', '-F', ' ', '-c', sql);
  const tables = (await query(`select tablename from pg_tables where schemaname = 'public' order by 1`)).split('\n');
  const counts = tables.filter(Boolean).map((table) => `select '${table}', count(*) from "${table}"`);
  const rows = (await query(counts.join(' union all '))).split('\n').filter(Boolean);
  return Object.fromEntries(rows.map((row) => [row.split(' ')[0] ?? '', Number(row.split(' ')[1])]));
}

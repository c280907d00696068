import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { execFileSync } from 'node:child_process';

/** The machine and the programs, as lines of Markdown. */
export function describeMachine(): string {
  const processors = cpus();
  return [
    `- ${processors.length} × ${processors[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}`,
    `- Node ${process.versions.node} (V8 ${process.versions.v8}), Redis ${versionOf('redis-server')}, memcached ${versionOf('memcached')}, Ceph ${versionOf('radosgw')}, rclone ${versionOf('rclone')}; all on this machine, over loopback`,
    `- load average of the minute before: ${loadBefore.toFixed(2)}`,
  ].join('\n');
}

const [loadBefore = Number.NaN] = loadavg();

function versionOf(program: string): string {
  try {
    return /\d+\.\d+\.\d+/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[0] ?? 'unknown';
  } catch {
    return 'not installed';
  }
}

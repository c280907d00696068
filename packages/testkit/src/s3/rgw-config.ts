import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

/** Ports and places of one single-node cluster. */
export interface RgwCluster {
  dir: string;
  fsid: string;
  port: number;
  monitorPort: number;
  monitorLegacyPort: number;
  /** Requests that the gateway works on at once; more are refused with 503 SlowDown. */
  maxConcurrentRequests: number;
  memoryBytes: number;
}

/** Addresses of the only monitor. */
export function monitorAddresses(cluster: RgwCluster): string {
  return `[v2:127.0.0.1:${cluster.monitorPort},v1:127.0.0.1:${cluster.monitorLegacyPort}]`;
}

/**
 * ceph.conf for one monitor, one object store in memory and one gateway. Everything listens on loopback and lives in
 * one folder. The gateway does not start without cephx, so the keys are there although the cluster lives for one test.
 */
export function cephConfig(cluster: RgwCluster): string {
  const { dir } = cluster;
  return `[global]
fsid = ${cluster.fsid}
mon host = ${monitorAddresses(cluster)}
public network = 127.0.0.0/8
cluster network = 127.0.0.0/8
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
auth allow insecure global id reclaim = false
keyring = ${join(dir, 'keyring')}
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon warn on pool no redundancy = false
mon data avail warn = 2
mon data avail crit = 1
mon data = ${join(dir, 'mon')}
run dir = ${join(dir, 'run')}
admin socket = ${join(dir, 'run', '$name.asok')}
pid file = ${join(dir, 'run', '$name.pid')}
log file = ${join(dir, 'log', '$name.log')}
osd data = ${join(dir, 'osd')}
osd objectstore = memstore
memstore device bytes = ${cluster.memoryBytes}
setuser match path =
[mon.a]
host = localhost
mon addr = 127.0.0.1:${cluster.monitorLegacyPort}
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${cluster.port}
rgw dns name =
rgw enable usage log = false
rgw enable gc threads = false
rgw enable lc threads = false
rgw thread pool size = 64
rgw max concurrent requests = ${cluster.maxConcurrentRequests}
debug rgw = 0
`;
}

/** Keys of all daemons, with the rights that each needs, in the format of `ceph-authtool`. */
export function cephKeyring(): string {
  const all = ['mon', 'osd', 'mgr'].map((service) => `caps ${service} = "allow *"`).join('\n');
  return ['mon.', 'client.admin', 'client.rgw', 'osd.0']
    .map((name) => `[${name}]\nkey = ${cephKey()}\n${all}\n`)
    .join('');
}

/** A secret as Ceph writes it: type 1 (AES) and time of creation (0), then 16 random bytes with their length. */
function cephKey(): string {
  const header = Buffer.alloc(12);
  header.writeUInt16LE(1, 0);
  header.writeUInt16LE(16, 10);
  return Buffer.concat([header, randomBytes(16)]).toString('base64');
}

import { fileURLToPath } from 'node:url';
import { timed, type Usage } from './timed-process.ts';

const PART_BYTES = 8 * 1024 * 1024;

/** Access to one account of the server. */
export interface Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** From where to where: two accounts, so that nobody may ask the server to copy by itself. */
export interface Route {
  readonly port: number;
  readonly source: Account & { readonly bucket: string };
  readonly target: Account & { readonly bucket: string };
  /** Objects at once, for those that can be told. */
  readonly concurrency: number;
}

export interface CopyContestant {
  readonly name: string;
  readonly copy: (route: Route) => Promise<Usage>;
}

const weirMain = fileURLToPath(new URL('../../apps/cli/bin/weir.js', import.meta.url));
const naiveMain = fileURLToPath(new URL('naive-copy.mjs', import.meta.url));

const weir: CopyContestant = {
  name: 'weir copy',
  copy: ({ port, source, target, concurrency }) => {
    const url = `http://127.0.0.1:${port}`;
    const places = [`s3://${source.bucket}`, `s3://${target.bucket}`, '--source-url', url, '--target-url', url];
    return timed(process.execPath, [weirMain, 'copy', ...places, '--concurrency', String(concurrency), '--quiet'], {
      WEIR_SOURCE_ACCESS_KEY_ID: source.accessKeyId,
      WEIR_SOURCE_SECRET_ACCESS_KEY: source.secretAccessKey,
      WEIR_TARGET_ACCESS_KEY_ID: target.accessKeyId,
      WEIR_TARGET_SECRET_ACCESS_KEY: target.secretAccessKey,
    });
  },
};

/** Two remotes by environment variables; no file is read. */
function rcloneEnvironment({ port, source, target }: Route): Record<string, string> {
  const remote = (name: string, { accessKeyId, secretAccessKey }: Account): Record<string, string> => ({
    [`RCLONE_CONFIG_${name}_TYPE`]: 's3',
    [`RCLONE_CONFIG_${name}_PROVIDER`]: 'Ceph',
    [`RCLONE_CONFIG_${name}_ENDPOINT`]: `http://127.0.0.1:${port}`,
    [`RCLONE_CONFIG_${name}_ACCESS_KEY_ID`]: accessKeyId,
    [`RCLONE_CONFIG_${name}_SECRET_ACCESS_KEY`]: secretAccessKey,
  });
  return { RCLONE_CONFIG: '/dev/null', ...remote('FROM', source), ...remote('TO', target) };
}

const rclone: CopyContestant = {
  name: 'rclone, defaults',
  copy: (route) =>
    timed('rclone', ['copy', `from:${route.source.bucket}`, `to:${route.target.bucket}`], rcloneEnvironment(route)),
};

/** Told all that saves requests, and to do as much at once as the others. */
const rcloneTuned: CopyContestant = {
  name: 'rclone, tuned',
  copy: (route) => {
    const atOnce = String(route.concurrency);
    const tuning = ['--transfers', atOnce, '--checkers', atOnce, '--no-check-dest', '--no-traverse', '--s3-no-head'];
    const parts = ['--s3-chunk-size', String(PART_BYTES), '--s3-upload-cutoff', '128M', '--s3-no-check-bucket'];
    const places = [`from:${route.source.bucket}`, `to:${route.target.bucket}`];
    return timed('rclone', ['copy', ...places, ...tuning, ...parts], rcloneEnvironment(route));
  },
};

const naive: CopyContestant = {
  name: 'minio, naive',
  copy: ({ port, source, target, concurrency }) =>
    timed(
      process.execPath,
      [naiveMain, String(port), source.bucket, target.bucket, String(concurrency), String(PART_BYTES)],
      {
        SOURCE_ACCESS_KEY_ID: source.accessKeyId,
        SOURCE_SECRET_ACCESS_KEY: source.secretAccessKey,
        TARGET_ACCESS_KEY_ID: target.accessKeyId,
        TARGET_SECRET_ACCESS_KEY: target.secretAccessKey,
      },
    ),
};

export const copyContestants: readonly CopyContestant[] = [weir, rcloneTuned, rclone, naive];
export const copyUnderTest: CopyContestant = weir;
export const copyPeers: readonly CopyContestant[] = [rcloneTuned, rclone];

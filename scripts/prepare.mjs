// Brings a machine with only Node, git, python3, a C++ compiler and apt to where Weir builds and its tests run.
// Plain JavaScript without dependencies: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** What the tests need beyond Node: the program that is looked for, and the Debian package that brings it. */
const TEST_PROGRAMS = {
  'redis-server': 'redis-server',
  memcached: 'memcached',
  chromium: 'chromium',
  radosgw: 'radosgw',
  'ceph-mon': 'ceph-mon',
  'ceph-osd': 'ceph-osd',
  ceph: 'ceph-common',
  'swift-proxy-server': 'swift-proxy',
  'swift-account-server': 'swift-account',
  'swift-container-server': 'swift-container',
  'swift-object-server': 'swift-object',
  rclone: 'rclone',
  aws: 'awscli',
  promtool: 'prometheus',
  postgres: 'postgresql-15',
};

/** @param {string} text */
export function say(text) {
  process.stdout.write(process.stdout.isTTY ? `\u001b[1m▸ ${text}\u001b[0m\n` : `▸ ${text}\n`);
}

/** @param {string} text @returns {never} */
export function stop(text) {
  process.stderr.write(`\n${text}\n`);
  process.exit(1);
}

/**
 * Prints the usage of a script and ends, if that is what it was asked for: before anything is installed or built.
 * @param {string} name of a file in scripts/usage
 */
export function helpIfAsked(name) {
  if (!asksForHelp()) return;
  process.stdout.write(readFileSync(join(root, 'scripts', 'usage', `${name}.txt`), 'utf8'));
  process.exit(0);
}

export function asksForHelp() {
  return process.argv.slice(2).some((word) => word === '--help' || word === '-h');
}

/** @param {string} command @param {string[]} args @param {Record<string, string>} [environment] */
export function run(command, args, environment = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment } });
  if (result.error) stop(`${command} could not be started: ${result.error.message}`);
  return result.status ?? 1;
}

/** @param {string} command @param {string[]} args @param {Record<string, string>} [environment] */
export function mustRun(command, args, environment) {
  const status = run(command, args, environment);
  if (status !== 0) stop(`"${command} ${args.join(' ')}" ended with code ${status}; its output is above.`);
}

/** Path of a tool that npm installed. @param {string} name */
export function tool(name) {
  return join(root, 'node_modules', '.bin', name);
}

/** Where Debian keeps programs that are not on everybody's path. */
const FURTHER_FOLDERS = ['/usr/sbin', '/sbin', '/usr/lib/postgresql/15/bin'];

/** @param {string} program */
export function isOnPath(program) {
  return [...(process.env['PATH'] ?? '').split(delimiter), ...FURTHER_FOLDERS].some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Installs the locked dependencies, unless node_modules already holds exactly these. */
export function ensureNodeModules() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    stop(`Weir needs Node 20.19 or newer; this is ${process.version}. Install a newer Node and run the command again.`);
  }
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const marker = join(root, 'node_modules', '.weir-lock');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === lock) return;
  say('Installing dependencies (npm ci; better-sqlite3 may be compiled, which takes about a minute)');
  mustRun('npm', ['ci', '--no-audit', '--no-fund']);
  writeFileSync(marker, lock);
}

/** Installs the Debian packages of the programs that are missing, or says which they are and how to get them. */
export function ensureTestPrograms() {
  const missing = Object.entries(TEST_PROGRAMS).filter(([program]) => !isOnPath(program));
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map(([, name]) => name))];
  const names = missing.map(([program]) => program).join(', ');
  const advice =
    `The tests run against real servers and a real browser. Missing programs: ${names}.\n` +
    `On Debian or Ubuntu:  sudo apt-get install ${packages.join(' ')}\n` +
    'Elsewhere install the same programs with your package manager, so that they are on the PATH.';
  if (!isOnPath('apt-get')) stop(`${advice}\n(apt-get is not on this machine, so this script could not do it.)`);
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && spawnSync('sudo', ['-n', 'true']).status !== 0) {
    stop(`${advice}\n(Not root, and sudo asks for a password, so this script could not do it.)`);
  }
  const [command, prefix] = isRoot ? ['apt-get', []] : ['sudo', ['-n', 'apt-get']];
  say(`Installing with apt-get: ${packages.join(' ')}`);
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
  mustRun(command, [...prefix, 'update', '-qq'], quiet);
  mustRun(command, [...prefix, 'install', '-y', '-qq', '--no-install-recommends', ...packages], quiet);
  const still = missing.filter(([program]) => !isOnPath(program)).map(([program]) => program);
  if (still.length > 0) stop(`apt-get ended well, but these programs are still missing: ${still.join(', ')}.`);
}

/** Compiles all packages and bundles the pages. Incremental: a second call takes seconds. Says nothing of what goes well. */
export function build() {
  say('Building');
  mustRun(tool('tsc'), [
    '-b',
    'apps/cli',
    'apps/web',
    'packages/quota-conformance',
    'packages/quota-http',
    'packages/quota-audit',
  ]);
  mustRun('npm', ['run', '--silent', 'build', '-w', '@weir/web', '--', '--logLevel', 'warn']);
}

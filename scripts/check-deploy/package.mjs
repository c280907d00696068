// The Debian package: built, unpacked, looked through, and a console started from what was unpacked.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildDebianPackage } from '../../deploy/debian/build.mjs';
import { say } from '../prepare.mjs';
import { read, unknownFlags } from './read.mjs';

const SYSTEMD_ANALYZE = 'systemd-analyze';
const UNITS = ['weir-console.service', 'weir-agent.service'];
/** Of 100, 0 being closed; what systemd calls "OK" ends at 50. */
const MOST_EXPOSED = 20;

export async function checkPackage({ check, checkRun, folder }, used) {
  if (!isThere('dpkg-deb')) {
    say('deploy: no dpkg-deb here, so the Debian package was not built');
    return;
  }
  const file = buildDebianPackage(folder, { compression: 'none' });
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  checkRun('package: can be unpacked', 'dpkg-deb', ['-x', file, tree]);
  const control = checkRun('package: has its fields', 'dpkg-deb', ['-f', file]);
  for (const field of [/^Package: weir$/m, /^Version: \d/m, /^Depends: nodejs \(>= \d/m])
    check(field.test(control), `package: ${field}`);
  const list = checkRun('package: can be listed', 'dpkg-deb', ['-c', file]);
  check(
    list.split('\n').every((line) => line === '' || line.includes(' root/root ')),
    'package: everything belongs to root',
  );
  check(!/(^|\s)\S*\.(test|spec)\.[jt]s$/m.test(list), 'package: holds no tests');
  for (const path of [
    'usr/bin/weir',
    'usr/lib/weir/apps/web/dist/index.html',
    'etc/weir/console.env',
    'etc/weir/agent.env',
  ]) {
    check(existsSync(join(tree, path)), `package: holds ${path}`);
  }
  check((statSync(join(tree, 'usr/bin/weir')).mode & 0o111) !== 0, 'package: its command can be run');
  checkUnits({ check, checkRun }, tree);
  const weir = join(tree, 'usr/bin/weir');
  await checkConsole({ check, folder }, weir, used);
  // Console, agents and copy engine together, all of it from the package.
  const demo = ['demo', '--port', '0', '--exit-when-done', '--json', '--objects', '200', '--window-seconds', '1'];
  const copied = checkRun('package: copies objects with its agents', process.execPath, [weir, ...demo], {
    cwd: folder,
  });
  check(copied.includes('"equal":true'), 'package: what it copied is equal', copied);
}

function checkUnits({ check, checkRun }, tree) {
  for (const unit of UNITS) {
    const text = read(`systemd/${unit}`);
    const [, command, rest] = /^ExecStart=\/usr\/bin\/weir (\w+) (.*)$/m.exec(text) ?? [];
    const unknown = command === undefined ? ['ExecStart'] : unknownFlags(command, rest);
    check(unknown.length === 0, `${unit}: starts weir with flags that exist`, unknown.join(' '));
    const settings = read(`systemd/${command}.env`);
    for (const [, name] of rest.matchAll(/\$\{?([A-Z_]+)/g))
      check(settings.includes(`${name}=`), `${unit}: ${name} is in its settings`);
    if (!isThere(SYSTEMD_ANALYZE)) continue;
    // The rest of a system is not in the tree: what is said of other units and of users does not count.
    const { stdout, stderr } = spawnSync(SYSTEMD_ANALYZE, ['verify', `--root=${tree}`, unit], { encoding: 'utf8' });
    const said = `${stdout}${stderr}`
      .split('\n')
      .filter((line) => line.includes(unit) && !/not found|man page/.test(line));
    check(said.length === 0, `${unit}: systemd understands every line`, said.join('\n'));
    const review = ['security', '--offline=yes', `--threshold=${MOST_EXPOSED}`, join(tree, 'lib/systemd/system', unit)];
    checkRun(`${unit}: is closed to what it does not need`, SYSTEMD_ANALYZE, [...review, '--no-pager']);
  }
  if (!isThere(SYSTEMD_ANALYZE)) say('deploy: no systemd-analyze here, so the units were read but not verified');
}

/** Starts a console of the package, and compares what it exposes with what rules and dashboard ask for. */
async function checkConsole({ check, folder }, weir, used) {
  const dataDir = join(folder, 'data');
  const args = ['console', '--data-dir', dataDir, '--port', '0', '--log-level', 'error', '--json', '--end-with-input'];
  const child = spawn(process.execPath, [weir, ...args], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => void child.once('exit', resolve));
  try {
    const line = await new Promise((resolve) => {
      child.stdout.once('data', (chunk) => resolve(String(chunk).split('\n')[0]));
      child.once('exit', () => resolve(''));
    });
    check(line !== '', 'package: a console starts from it');
    if (line === '') return;
    const { url } = JSON.parse(line);
    for (const path of ['/healthz', '/', '/docs', '/api/v1/info']) {
      const { status } = await fetch(`${url}${path}`);
      check(status === 200, `package: its console answers ${path}`, String(status));
    }
    await fetch(`${url}/api/v1/agent/heartbeat`, { method: 'POST' });
    const { metricsToken } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'));
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
    checkMetrics(check, await metrics.text(), used);
  } finally {
    child.stdin.end();
    const cut = setTimeout(() => child.kill('SIGKILL'), 15_000);
    check((await ended) === 0, 'package: its console ends well');
    clearTimeout(cut);
  }
}

/** @param {string} text what /metrics answered */
function checkMetrics(check, text, { metrics, labels }) {
  const exposed = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name, kind]) => {
      return kind === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name];
    }),
  );
  for (const name of metrics) check(exposed.has(name), `monitoring: a running console exposes ${name}`);
  for (const wanted of labels) {
    const [name, label, value] = wanted.split(' ');
    const line = new RegExp(`^${name}(_count)?\\{[^}]*${label}="${value}"`, 'm');
    check(line.test(text), `monitoring: a running console exposes ${name} with ${label}="${value}"`);
  }
}

/** @param {string} program */
function isThere(program) {
  return spawnSync(program, ['--version']).error === undefined;
}

// node deploy/debian/build.mjs [FOLDER]: makes weir_VERSION_ARCH.deb from a built checkout ("npm run build") with dpkg-deb.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { stage } from '../stage.mjs';

const deploy = fileURLToPath(new URL('..', import.meta.url));

/** What a program of the system prints. @param {string} program @param {string[]} args */
function run(program, args) {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** better-sqlite3 is compiled for one major version of Node: another one could not load it. */
function control(version, architecture, installedKib) {
  const major = Number(process.versions.node.split('.')[0]);
  const least = major === 20 ? '20.19' : `${major}.0`;
  return [
    'Package: weir',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Maintainer: Weir <weir@localhost>',
    `Installed-Size: ${installedKib}`,
    `Depends: nodejs (>= ${least}), nodejs (<< ${major + 1}~), adduser`,
    'Suggests: postgresql, redis-server, prometheus',
    'Section: admin',
    'Priority: optional',
    'Description: shared budgets: a TPS governor for S3 copy fleets, and quotas',
    ' A console splits one TPS limit over a fleet of S3 copy agents and runs their jobs;',
    ' quotas count exactly on Redis, Valkey or memcached, in counters that always end.',
    '',
  ].join('\n');
}

/**
 * @param {string} folder where the package is put
 * @param {{ compression?: 'xz' | 'gzip' | 'none' }} [options] default xz; none is quick and large
 * @returns {string} its path
 */
export function buildDebianPackage(folder, { compression = 'xz' } = {}) {
  const { version } = JSON.parse(readFileSync(join(deploy, '..', 'package.json'), 'utf8'));
  const architecture = run('dpkg', ['--print-architecture']).trim();
  const tree = mkdtempSync(join(tmpdir(), 'weir-deb-'));
  try {
    chmodSync(tree, 0o755);
    const into = (...parts) => {
      const path = join(tree, ...parts);
      mkdirSync(join(path, '..'), { recursive: true });
      return path;
    };
    stage(into('usr/lib/weir'));
    symlinkSync('../lib/weir/apps/cli/bin/weir.js', into('usr/bin/weir'));
    for (const unit of ['weir-console.service', 'weir-agent.service']) {
      cpSync(join(deploy, 'systemd', unit), into('lib/systemd/system', unit));
    }
    for (const settings of ['console.env', 'agent.env'])
      cpSync(join(deploy, 'systemd', settings), into('etc/weir', settings));
    cpSync(join(deploy, '..', 'LICENSE'), into('usr/share/doc/weir/copyright'));
    cpSync(join(deploy, '..', 'docs/operations'), into('usr/share/doc/weir/operations'), { recursive: true });
    cpSync(join(deploy, 'prometheus/weir.rules.yml'), into('usr/share/doc/weir/prometheus/weir.rules.yml'));
    cpSync(join(deploy, 'grafana/weir.json'), into('usr/share/doc/weir/grafana/weir.json'));
    const kib = Number(run('du', ['-sk', tree]).split('\t')[0]);
    writeFileSync(into('DEBIAN/control'), control(version, architecture, kib));
    writeFileSync(into('DEBIAN/conffiles'), '/etc/weir/console.env\n/etc/weir/agent.env\n');
    for (const script of ['postinst', 'prerm', 'postrm'])
      cpSync(join(deploy, 'debian', script), into('DEBIAN', script));
    // Whatever umask the checkout was made with.
    run('chmod', ['-R', 'u=rwX,go=rX', tree]);
    for (const script of ['postinst', 'prerm', 'postrm']) chmodSync(into('DEBIAN', script), 0o755);
    chmodSync(into('usr/lib/weir/apps/cli/bin/weir.js'), 0o755);
    const target = resolve(folder, `weir_${version}_${architecture}.deb`);
    run('dpkg-deb', [`-Z${compression}`, '--root-owner-group', '--build', tree, target]);
    return target;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = process.argv[2] ?? '.';
  mkdirSync(folder, { recursive: true });
  process.stdout.write(`${buildDebianPackage(folder)}\n`);
}

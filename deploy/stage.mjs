// node deploy/stage.mjs FOLDER: copies what a running Weir needs out of a built checkout, without development tools.
// Used by the Debian package and by the container image. Plain JavaScript: it runs where only Node and npm are.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Never needed at run time. */
const LEFT_OUT = /^(deps|test|tests|docs|\.github)$|\.(map|md|ts|mts|cts|c|cc|h|o|a)$|\.(test|spec)\.[cm]?js$/;
/** Notices must stay with the code that they are for. */
const KEPT = /(^|\/)(LICEN[CS]E|NOTICE|COPYING)/i;

/** Paths of all packages that the weir command needs, from npm, which knows what is nested where. */
function runtimePackages() {
  const args = ['ls', '--workspace', '@weir/cli', '--omit=dev', '--all', '--parseable'];
  const { stdout, status, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 32 * 1024 ** 2 });
  const found = stdout.split('\n').filter((line) => line.startsWith(root));
  // Peers that are optional and absent make npm end with 1, and say so; nothing found at all is a failure.
  if (found.length < 2) throw new Error(`npm ls found no packages (${status}): ${stderr}`);
  // A third of the size, and nothing loads it: it is a peer of packages that bring types.
  return [...new Set(found.map((path) => relative(root, path)))].filter((path) => path !== 'node_modules/typescript');
}

/** @param {string} from @param {string} to */
function copyPackage(from, to) {
  cpSync(from, to, {
    recursive: true,
    dereference: false,
    filter: (source) => {
      const path = relative(from, source);
      if (path === '') return true;
      if (path === 'node_modules' || path.startsWith('node_modules/')) return false;
      return KEPT.test(path) || !LEFT_OUT.test(path);
    },
  });
}

/** @param {string} folder a package of ours: what it was compiled to, and what starts it. @param {string} to */
function copyWorkspace(folder, to) {
  mkdirSync(to, { recursive: true });
  cpSync(join(folder, 'package.json'), join(to, 'package.json'));
  if (!existsSync(join(folder, 'dist'))) throw new Error(`${folder} is not built: run "npm run build" first`);
  for (const part of ['dist', 'bin']) {
    if (!existsSync(join(folder, part))) continue;
    cpSync(join(folder, part), join(to, part), {
      recursive: true,
      filter: (source) => !/\.(map|d\.ts|tsbuildinfo)$/.test(source),
    });
  }
}

/** Copies the runtime of Weir into an empty or absent folder. @param {string} target */
export function stage(target) {
  if (existsSync(target) && readdirSync(target).length > 0) throw new Error(`${target} is not empty`);
  mkdirSync(join(target, 'node_modules', '@weir'), { recursive: true });
  const paths = runtimePackages();
  // The pages are served from their built files; nothing imports them.
  const workspaces = new Set(['apps/web', 'apps/cli']);
  for (const path of paths) {
    const inside = /(^|\/)node_modules\/@weir\/[^/]+$/.test(path);
    if (path.startsWith('packages/') || path.startsWith('apps/') || inside) {
      const real = inside ? workspaceOf(basename(path)) : path.split('/').slice(0, 2).join('/');
      workspaces.add(real);
      if (!path.includes('/node_modules/')) continue;
    }
    if (!inside && path.includes('node_modules/')) copyPackage(join(root, path), join(target, path));
  }
  for (const folder of workspaces) {
    copyWorkspace(join(root, folder), join(target, folder));
    symlinkSync(join('..', '..', folder), join(target, 'node_modules', '@weir', basename(folder)));
  }
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  const { name, version, license, type, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(
    join(target, 'package.json'),
    `${JSON.stringify({ name, version, license, private: true, type, engines }, null, 2)}\n`,
  );
}

/** @param {string} name */
function workspaceOf(name) {
  const folder = ['packages', 'apps'].map((parent) => join(parent, name)).find((path) => existsSync(join(root, path)));
  if (folder === undefined || !lstatSync(join(root, folder)).isDirectory()) throw new Error(`no workspace ${name}`);
  return folder;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [target] = process.argv.slice(2);
  if (target === undefined) throw new Error('Usage: node deploy/stage.mjs FOLDER');
  mkdirSync(dirname(target), { recursive: true });
  stage(target);
}

// Reads what is in deploy/, and what the commands say of themselves.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../prepare.mjs';

export { Ajv } from 'ajv';
export { parse as parseYaml, parseAllDocuments } from 'yaml';

/** @param {string} path below deploy/ */
export function pathOf(path) {
  return join(root, 'deploy', path);
}

/** @param {string} path below deploy/ */
export function read(path) {
  return readFileSync(pathOf(path), 'utf8');
}

/** @type {Map<string, string>} */
const helps = new Map();

/** Flags in a command line that the weir command does not know. @param {string} command @param {string} line */
export function unknownFlags(command, line) {
  let help = helps.get(command);
  if (help === undefined) {
    help = spawnSync(process.execPath, [join(root, 'apps/cli/bin/weir.js'), command, '--help'], {
      encoding: 'utf8',
    }).stdout;
    helps.set(command, help);
  }
  const known = new Set(help.match(/--[a-z][a-z0-9-]*/g));
  return [...new Set(line.match(/(?<![\w-])--[a-z][a-z0-9-]*/g))].filter((flag) => !known.has(flag));
}

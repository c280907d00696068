// node scripts/check-deploy.mjs: checks what is in deploy/ against itself and against the product. Part of "npm test".
// Helm is fetched where there is none. Docker is not needed: compose file and Dockerfile are read and compared, not run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkContainers } from './check-deploy/containers.mjs';
import { checkChart } from './check-deploy/chart.mjs';
import { checkDocuments } from './check-deploy/documents.mjs';
import { checkMonitoring } from './check-deploy/monitoring.mjs';
import { checkPackage } from './check-deploy/package.mjs';
import { say } from './prepare.mjs';

/** @type {string[]} */
const problems = [];
let passed = 0;

/** @param {boolean} holds @param {string} guarantee @param {string} [found] */
function check(holds, guarantee, found = '') {
  if (holds) passed += 1;
  else problems.push(found === '' ? guarantee : `${guarantee}\n    ${found.trim().replaceAll('\n', '\n    ')}`);
}

/** Runs a program that must end with 0. @param {string} guarantee @param {string} program @param {string[]} args */
function checkRun(guarantee, program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000, ...options });
  check(status === 0, guarantee, error?.message ?? `${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}

const folder = mkdtempSync(join(tmpdir(), 'weir-deploy-'));
try {
  const tools = { check, checkRun, folder };
  const used = checkMonitoring(tools);
  checkContainers(tools);
  checkChart(tools);
  await checkDocuments(tools);
  await checkPackage(tools, used);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) process.stderr.write(`✗ ${problem}\n`);
say(`deploy: ${passed} checks passed, ${problems.length} failed`);
process.exitCode = problems.length === 0 ? 0 : 1;

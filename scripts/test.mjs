// npm test: from an empty clone to every check and test. `npm test -- --only unit` runs one stage.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { build, ensureNodeModules, ensureTestPrograms, root, run, say, stop, tool } from './prepare.mjs';

const reports = join(root, 'node_modules', '.cache', 'weir-tests');
const totals = { passed: 0, failed: 0 };
/** Tests that passed only when they were tried again. @type {string[]} */
const secondTries = [];
/** Tests that failed, and files that did not load. @type {string[]} */
const failures = [];

/** The first lines of why a test failed, without colours. @param {string} message */
function reason(message) {
  // The stack of a test that ran out of time begins with a mark in place of a message.
  return stripVTControlCharacters(message)
    .replace('Error: STACK_TRACE_ERROR', 'it ran out of time')
    .split('\n')
    .slice(0, 4)
    .map((line) => `\n    ${line.trim().slice(0, 300)}`)
    .join('');
}

/** Runs one vitest project and adds its figures. @param {string} project */
function vitest(project) {
  const report = join(reports, `${project}.json`);
  rmSync(report, { force: true });
  const status = run(tool('vitest'), [
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]);
  try {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    totals.passed += result.numPassedTests;
    totals.failed += result.numFailedTests;
    for (const file of result.testResults) {
      const name = relative(root, file.name);
      if (file.status === 'failed' && file.message) failures.push(`${name}${reason(file.message)}`);
      for (const { status: outcome, failureMessages, fullName } of file.assertionResults) {
        if (failureMessages.length === 0) continue;
        (outcome === 'passed' ? secondTries : failures).push(`${name}: ${fullName}${reason(failureMessages[0])}`);
      }
    }
    const skipped = result.numPendingTests + result.numTodoTests;
    if (skipped > 0) {
      process.stderr.write(`${skipped} tests of project ${project} were skipped; no test may be.\n`);
      return 1;
    }
  } catch {
    return status || 1;
  }
  return status;
}

/** Folders of the packages that npm users will install: all that are not private. */
function publishedPackages() {
  return readdirSync(join(root, 'packages'))
    .map((name) => join('packages', name))
    .filter((folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).private !== true);
}

/** @type {Record<string, () => number>} */
const stages = {
  types: () => run(tool('tsc'), ['-b']),
  lint: () => run(tool('oxlint'), ['--type-aware', '--deny-warnings']),
  format: () => run(tool('oxfmt'), ['--check']),
  boundaries: () => run(tool('depcruise'), ['--config', '.dependency-cruiser.mjs', 'packages', 'apps']),
  deadcode: () => run(tool('knip'), []),
  repetition: () => run(tool('jscpd'), []),
  publishable: () =>
    Math.max(...publishedPackages().map((folder) => run(tool('publint'), ['run', folder, '--strict']))),
  deploy: () => run(process.execPath, [join(root, 'scripts/check-deploy.mjs')]),
  unit: () => vitest('unit'),
  integration: () => vitest('integration'),
  e2e: () => vitest('e2e'),
  'e2e-timed': () => vitest('e2e-timed'),
};

const [flag, wanted] = process.argv.slice(2);
if (flag !== undefined && (flag !== '--only' || wanted === undefined || !(wanted in stages))) {
  stop(`Usage: npm test -- --only <${Object.keys(stages).join('|')}>`);
}

const started = Date.now();
mkdirSync(reports, { recursive: true });
ensureNodeModules();
mkdirSync(reports, { recursive: true });
ensureTestPrograms();
build();
const lines = [];
let failed = false;
for (const [name, stage] of Object.entries(stages)) {
  if (wanted !== undefined && wanted !== name) continue;
  say(name);
  const from = Date.now();
  const status = stage();
  failed ||= status !== 0;
  lines.push(`${status === 0 ? '✓' : '✗'} ${name.padEnd(12)} ${((Date.now() - from) / 1000).toFixed(1)} s`);
}
process.stdout.write(`\n${lines.join('\n')}\nin ${((Date.now() - started) / 1000).toFixed(0)} s\n`);
if (secondTries.length > 0) {
  process.stdout.write(`passed only at the second try, to be mended:\n  ${secondTries.join('\n  ')}\n`);
}
if (failures.length > 0) process.stdout.write(`failed:\n  ${failures.join('\n  ')}\n`);
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed\n`);
process.exitCode = failed ? 1 : 0;

// npm run bench: from an empty clone to measured figures. `npm run bench -- quota` runs one suite; benchmarks/main.ts has them all.
import { join } from 'node:path';
import { ensureNodeModules, helpIfAsked, mustRun, root, run, say, tool } from './prepare.mjs';

helpIfAsked('bench');
ensureNodeModules();
say('Building');
// What users install is measured: the compiled packages, not their sources.
mustRun(tool('tsc'), ['-b', 'apps/cli']);
const main = join(root, 'benchmarks', 'main.ts');
process.exitCode = run(process.execPath, ['--import', 'tsx', main, ...process.argv.slice(2)]);
// As everything else in the repository; a quick run wrote nothing.
run(tool('oxfmt'), ['benchmarks/results', 'benchmarks/RESULTS.md']);

// npm run bench: from an empty clone to measured figures. `npm run bench -- quota` runs one suite; benchmarks/main.ts has them all.
import { join } from 'node:path';
import { ensureNodeModules, mustRun, root, run, say, tool } from './prepare.mjs';

ensureNodeModules();
say('Building');
// What users install is measured: the compiled packages, not their sources.
const measured = ['governor', 'quota', 'quota-redis', 'quota-memcached', 'testkit'];
mustRun(tool('tsc'), ['-b', ...measured.map((name) => `packages/${name}`)]);
const main = join(root, 'benchmarks', 'main.ts');
process.exitCode = run(process.execPath, ['--import', 'tsx', main, ...process.argv.slice(2)]);

// npm run chaos: from an empty clone to a group of consoles whose leaders are killed. `npm run chaos -- --help` says more.
import { join } from 'node:path';
import { build, ensureNodeModules, ensureTestPrograms, helpIfAsked, root, run, tool } from './prepare.mjs';

helpIfAsked('chaos');
ensureNodeModules();
ensureTestPrograms();
build();
const main = join(root, 'e2e', 'faults', 'chaos-main.ts');
process.exitCode = run(tool('tsx'), ['--conditions=@weir/source', main, ...process.argv.slice(2)]);

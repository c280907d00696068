// npm run soak: from an empty clone to a whole Weir that is watched for minutes. `npm run soak -- --help` says more.
import { join } from 'node:path';
import { build, ensureNodeModules, ensureTestPrograms, helpIfAsked, root, run, tool } from './prepare.mjs';

helpIfAsked('soak');
ensureNodeModules();
ensureTestPrograms();
build();
const main = join(root, 'e2e', 'faults', 'soak-main.ts');
process.exitCode = run(tool('tsx'), ['--conditions=@weir/source', main, ...process.argv.slice(2)]);

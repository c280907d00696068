// npm run demo: from an empty clone to the running product.
import { join } from 'node:path';
import { build, ensureNodeModules, root, run } from './prepare.mjs';

ensureNodeModules();
build();
process.exitCode = run(process.execPath, [join(root, 'apps/cli/dist/main.js'), 'demo', ...process.argv.slice(2)]);

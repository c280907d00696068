// npm run weir -- <command>: the weir command from the sources of this checkout.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build, ensureNodeModules, root, run } from './prepare.mjs';

const main = join(root, 'apps/cli/dist/main.js');
ensureNodeModules();
if (!existsSync(main)) build();
process.exitCode = run(process.execPath, [main, ...process.argv.slice(2)]);

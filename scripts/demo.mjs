// npm run demo: from an empty clone to the running product.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { asksForHelp, build, ensureNodeModules, root, run } from './prepare.mjs';

const main = join(root, 'apps/cli/dist/main.js');
// Help is not worth the wait where it is there already.
if (!asksForHelp() || !existsSync(main)) {
  ensureNodeModules();
  build();
}
process.exitCode = run(process.execPath, [main, 'demo', ...process.argv.slice(2)]);

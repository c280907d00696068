#!/usr/bin/env node
// Thin entry that exists before the build, so that npm can link the `weir` command at install time.
await import('../dist/main.js').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !String(error.message).includes('dist/main.js')) throw error;
  process.stderr.write('weir is not built yet. Run "npm run build" in the checkout and try again.\n');
  process.exitCode = 2;
});

import { createRequire } from 'node:module';

/*
 * The test workers run under the condition "import". `require('is-promise')` inside Express's router then yields an ES module's
 * namespace where it expects the function, so the function is put in its place before Express is loaded.
 */
const fromExpress = createRequire(createRequire(import.meta.url).resolve('express'));
const file = fromExpress.resolve('is-promise');
const loaded: unknown = fromExpress(file);
const entry = fromExpress.cache[file];
if (entry !== undefined && typeof loaded === 'object' && loaded !== null && 'default' in loaded) {
  entry.exports = loaded.default;
}

export const { default: express } = await import('express');

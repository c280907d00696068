import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { scripts } from '../../src/scripts/script.ts';
import { SCRIPT_TEXTS } from '../../src/scripts/texts.ts';

const folder = fileURLToPath(new URL('../../src/scripts/', import.meta.url));
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.lua'))
  .map((file) => file.replace('.lua', ''))
  .sort();

const quoted = (name: string): string => (name.includes('-') ? `'${name}'` : name);
const read = (name: string): string => readFileSync(`${folder}${name}.lua`, 'utf8');

test('the texts that are bundled equal the Lua files; vitest -u rewrites them', async () => {
  const source = [
    '/** The files beside this one as texts, so that bundlers carry them. A unit test keeps them equal; `vitest -u` rewrites this. */\n',
    `export const SCRIPT_TEXTS: Readonly<\n  Record<${names.map((name) => `'${name}'`).join(' | ')}, string>\n> = {\n`,
    ...names.map((name) => `  ${quoted(name)}: \`${read(name)}\`,\n`),
    '};\n',
  ];
  await expect(source.join('')).toMatchFileSnapshot(`${folder}texts.ts`);
  expect(SCRIPT_TEXTS).toEqual(Object.fromEntries(names.map((name) => [name, read(name)])));
});

test('every script is known by its SHA-1, and no two are the same', () => {
  expect(Object.keys(scripts).sort()).toEqual(names);
  const hashes = Object.values(scripts).map(({ sha }) => sha);
  expect(new Set(hashes).size).toBe(names.length);
  for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{40}$/);
});

test('no script holds what a template literal would change', () => {
  for (const name of names) expect(read(name)).not.toMatch(/[`\\]|\$\{/);
});

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../src', import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => join(root, file));
const sources = files
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));
const modules = files
  .filter((file) => file.endsWith('.module.css'))
  .map((file) => ({ file, name: relative(root, file), text: readFileSync(file, 'utf8') }));
const tokens = readFileSync(join(root, 'styles/tokens.css'), 'utf8');

/** Classes that a style sheet defines; those of other libraries are marked `:global`. */
function classesOf(css: string): Set<string> {
  const own = css.replace(/:global\([^)]*\)/g, '').replace(/\{[^{}]*\}/g, '{}');
  return new Set([...own.matchAll(/\.([A-Za-z][\w-]*)/g)].map((match) => match[1] ?? ''));
}

function usersOf(module: string): { file: string; text: string; name: string }[] {
  return sources.flatMap(({ file, text }) => {
    const match = [...text.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)].find(
      ([, , path]) => path !== undefined && resolve(dirname(file), path) === module,
    );
    return match?.[1] === undefined ? [] : [{ file, text, name: match[1] }];
  });
}

it('no rule of five declarations or more stands in two modules: what looks alike is one component', () => {
  const places = new Map<string, string[]>();
  for (const { name, text } of modules) {
    for (const [, selector = '', body = ''] of text.matchAll(/^([^\s{}@][^{}]*) \{([^{}]*)\}/gm)) {
      const declarations = body.split(';').map((each) => each.trim());
      const key = declarations.filter((each) => each !== '').toSorted();
      if (key.length >= 5) places.set(key.join('; '), [...(places.get(key.join('; ')) ?? []), `${name} ${selector}`]);
    }
  }
  expect(places.size).toBeGreaterThan(50);
  expect([...places].filter(([, where]) => where.length > 1)).toEqual([]);
});

describe.each(modules)('$name', ({ file, text }) => {
  const defined = classesOf(text);
  const users = usersOf(file);

  it('defines every class that its components name', () => {
    const named = users.flatMap((user) =>
      [...user.text.matchAll(new RegExp(`\\b${user.name}\\.(\\w+)`, 'g'))].map((match) => match[1] ?? ''),
    );
    expect(users.length).toBeGreaterThan(0);
    expect(named.filter((name) => !defined.has(name))).toEqual([]);
  });

  it('defines no class that nobody names', () => {
    const dynamic = users.some((user) => user.text.includes(`${user.name}[`));
    const unused = [...defined].filter((name) => !users.some((user) => user.text.includes(`${user.name}.${name}`)));
    // Looked up by a value, such as the name of a colour band: those the type of the value lists.
    const looked = ['green', 'amber', 'red', 'gray', 'accent', 'info', 'primary', 'secondary', 'ghost', 'danger'];
    expect(unused.filter((name) => !(dynamic && looked.includes(name)))).toEqual([]);
  });

  it('uses tokens that exist, and no colour of its own', () => {
    const defined = new Set([...`${tokens}${text}`.matchAll(/(--[\w-]+):/g)].map((match) => match[1]));
    const set = new Set(['--digits', '--fill', '--share', '--swatch', '--all', '--half', '--toast-swipe-movement-x']);
    const used = [...text.matchAll(/var\((--[\w-]+)/g)].map((match) => match[1] ?? '');
    expect(used.filter((name) => !defined.has(name) && !set.has(name))).toEqual([]);
    expect(text).not.toMatch(/#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)\(/i);
  });
});

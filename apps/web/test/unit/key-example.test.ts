import { expect, it } from 'vitest';
import { keyExample } from '../../src/pages/jobs/key-example.ts';

it.each([
  ['', '', 'logs/a.gz', 'logs/a.gz'],
  ['2024/', '', '2024/logs/a.gz', 'logs/a.gz'],
  ['2024/', '2024/', '2024/logs/a.gz', '2024/logs/a.gz'],
  ['2024', '', '2024/logs/a.gz', '/logs/a.gz'],
  ['', 'mine', 'logs/a.gz', 'minelogs/a.gz'],
])('shows what prefixes %j and %j do to a key', (source, target, from, to) => {
  expect(keyExample(source, target)).toEqual({ from, to });
});

import { readFile } from 'node:fs/promises';
import { ERROR_CODES } from '@weir/protocol';
import { expect, test } from 'vitest';
import { statusOf } from '../../src/http/error-replies.ts';

const page = await readFile(new URL('../../../../docs/error-codes.md', import.meta.url), 'utf8');
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section): [string, string] => {
      const [heading = '', ...lines] = section.split('\n');
      return [heading.trim(), lines.join('\n')];
    }),
);

test('every error code has one heading on the page, and every heading is an error code', () => {
  const headings = Array.from(page.matchAll(/^## (.+)$/gm), ([, heading = '']) => heading.trim());
  expect(headings.toSorted()).toEqual([...ERROR_CODES].toSorted());
});

test.each(ERROR_CODES)('%s is explained with its status, cause and remedy', (code) => {
  const text = sections.get(code) ?? '';
  expect(text).toContain(`Status ${statusOf(code)}`);
  expect(text).toMatch(/\*\*Cause\.\*\* \S/);
  expect(text).toMatch(/\*\*Remedy\.\*\* \S/);
});

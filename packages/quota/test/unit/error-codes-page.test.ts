import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { QUOTA_ERROR_CODES } from '../../src/index.ts';

const page = await readFile(new URL('../../../../docs/quota-error-codes.md', import.meta.url), 'utf8');
const sections = page.split(/^## /m).slice(1);

it('gives every error code a heading with its cause and remedy, and has no other headings', () => {
  expect(sections.map((section) => section.split('\n', 1)[0])).toEqual([...QUOTA_ERROR_CODES]);
  for (const section of sections) {
    expect(section).toMatch(/\*\*Cause\.\*\* \S/);
    expect(section).toMatch(/\*\*Remedy\.\*\* \S/);
  }
});

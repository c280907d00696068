import { readFile } from 'node:fs/promises';
import type { NetworkError } from '@weir/client';
import type { GovernorStoppedError } from '@weir/governor-client';
import { ERROR_CODES, type ErrorCode } from '@weir/protocol';
import { OWN_CODES, WARNING_CODES } from '@weir/s3-copy';
import { expect, test } from 'vitest';
import type { EnrolmentError } from '../../src/credential/enrol.ts';
import { AGENT_CODES } from '../../src/shards/shard-run.ts';

const page = await readFile(new URL('../../../../docs/agent-error-codes.md', import.meta.url), 'utf8');
const sections = page.split(/^## /m).slice(1);
const headings = sections.map((section) => section.split('\n', 1)[0] ?? '');

// Every member has to stand here, or this does not compile.
const reaching: Record<NetworkError['reason'], true> = {
  unreachable: true,
  timeout: true,
  redirected: true,
  'bad-answer': true,
};
const governor: Record<GovernorStoppedError['reason'], true> = { stopped: true, refused: true };
const enrolment: Record<Exclude<EnrolmentError['code'], ErrorCode>, true> = { 'token-missing': true, redirected: true };

/** What the console writes at a job whose agent said nothing. */
const CONSOLE_CODES = ['unknown'];

test('every code of copies, agents and governed programs has one heading on the page, and no other has', () => {
  const codes = new Set<string>([
    ...OWN_CODES,
    ...WARNING_CODES,
    ...AGENT_CODES,
    ...CONSOLE_CODES,
    ...Object.keys(reaching),
    ...Object.keys(governor),
    ...Object.keys(enrolment),
  ]);
  expect(headings.toSorted()).toEqual([...codes].toSorted());
});

test('every code is explained with its cause and remedy', () => {
  for (const section of sections) {
    expect(section).toMatch(/\*\*Cause\.\*\* \S/);
    expect(section).toMatch(/\*\*Remedy\.\*\* \S/);
  }
});

test('no code means one thing at the console and another at an agent, but for failures that nobody foresaw', () => {
  const both = headings.filter((code) => ERROR_CODES.some((known) => known === code));
  expect(both).toEqual(['internal']);
});

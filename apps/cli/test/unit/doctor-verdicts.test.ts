import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { exitCodeOf, fail, type Finding, ok, renderFindings, warn } from '../../src/commands/doctor-finding.ts';
import {
  judgeCertificate,
  judgeClock,
  judgeDisk,
  judgeNode,
  judgeOpenFiles,
  judgePostgres,
  judgeSeat,
  judgeStoreHealth,
} from '../../src/commands/doctor-verdicts.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 30);

test.each([
  ['20.19.0', 'ok'],
  ['20.18.9', 'fail'],
  ['18.20.4', 'fail'],
  ['22.0.0', 'ok'],
  ['100.1.0', 'ok'],
])('Node %s is %s', (version, status) => {
  expect(judgeNode(version).status).toBe(status);
});

test.each([
  [256, 'fail'],
  [1_024, 'warn'],
  [4_096, 'ok'],
  [Number.POSITIVE_INFINITY, 'ok'],
  [null, 'warn'],
])('a limit of %s open files is %s', (limit, status) => {
  expect(judgeOpenFiles(limit).status).toBe(status);
});

test.each([
  [10 * 1_024 ** 2, 'fail'],
  [500 * 1_024 ** 2, 'warn'],
  [5 * 1_024 ** 3, 'ok'],
])('%s bytes of free disk are %s', (bytes, status) => {
  expect(judgeDisk(bytes).status).toBe(status);
});

test.each([
  [0, 100, 'ok'],
  [-4_000, 0, 'ok'],
  [6_000, 500, 'warn'],
  [-600_000, 500, 'warn'],
  [1_000_000, 500, 'fail'],
])('a clock that is %s ms off, give or take %s, is %s', (skew, uncertainty, status) => {
  expect(judgeClock(skew, uncertainty).status).toBe(status);
});

test('what a measurement cannot tell apart is never held against a clock', () => {
  const status = ['ok', 'warn', 'fail'];
  fc.assert(
    fc.property(fc.integer({ min: -10_000_000, max: 10_000_000 }), fc.nat(2_000_000), (skew, uncertainty) => {
      const judged = judgeClock(skew, uncertainty).status;
      expect(judged === 'ok' || Math.abs(skew) > uncertainty).toBe(true);
      // Ahead and behind weigh the same, and more uncertainty never makes it worse.
      expect(judgeClock(-skew, uncertainty).status).toBe(judged);
      expect(status.indexOf(judgeClock(skew, uncertainty + 1_000).status)).toBeLessThanOrEqual(status.indexOf(judged));
    }),
  );
});

test.each([
  [-1, 60, 'ok', '60 days'],
  [-1, 20.5, 'warn', '20 days'],
  [-80, -1, 'fail', 'expired'],
  [1, 90, 'fail', 'not valid before'],
])('a certificate from day %s to day %s is %s', (from, to, status, words) => {
  const verdict = judgeCertificate(NOW_MS + from * DAY_MS, NOW_MS + to * DAY_MS, NOW_MS);
  expect(verdict.status).toBe(status);
  expect(verdict.found).toContain(words);
});

test('a store that may forget counters, did, holds undated ones or is nearly full is a warning with a remedy each', () => {
  const health = { evictionPolicy: 'volatile-lru', evicted: 3, undated: 2, entries: 9, usedBytes: 95, maxBytes: 100 };
  const verdicts = judgeStoreHealth(health, 'weir audit redis://x');
  expect(verdicts.map(({ check, status }) => `${check} ${status}`)).toEqual([
    'eviction warn',
    'evicted warn',
    'undated warn',
    'memory warn',
  ]);
  expect(verdicts.every(({ remedy }) => remedy !== undefined)).toBe(true);
  expect(verdicts[2]?.remedy).toContain('weir audit redis://x');
});

test('a store that keeps what it has and holds no undated counters is well', () => {
  const health = { evictionPolicy: 'noeviction', evicted: 0, undated: 0, entries: 9, usedBytes: 5, maxBytes: 100 };
  expect(judgeStoreHealth(health, '').map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
});

test('a store that hides its policy is not taken for a safe one', () => {
  expect(judgeStoreHealth({}, '')).toMatchObject([{ check: 'eviction', status: 'warn' }]);
});

test('every reason why a console cannot use a PostgreSQL server is told at once', () => {
  const wrong = { version: 120_009, encoding: 'SQL_ASCII', schema: 'public', mayCreate: false };
  const verdicts = judgePostgres({ ...wrong, isStandby: true, freeConnections: 2 });
  expect(verdicts.map(({ check, status }) => `${check} ${status}`)).toEqual([
    'version fail',
    'encoding fail',
    'rights fail',
    'primary fail',
    'connections warn',
  ]);
});

function at(verdict: Omit<Finding, 'target'>): Finding {
  return { target: 'x', ...verdict };
}

test('the exit code is that of the worst finding', () => {
  expect(exitCodeOf([])).toBe(0);
  expect(exitCodeOf([at(ok('a', ''))])).toBe(0);
  expect(exitCodeOf([at(ok('a', '')), at(warn('b', '', 'do'))])).toBe(1);
  expect(exitCodeOf([at(fail('c', '', 'do')), at(warn('b', '', 'do'))])).toBe(2);
});

test('a report has a heading per target, its findings in order, and each remedy under its finding', () => {
  const findings: Finding[] = [
    { target: 'here', ...ok('node', 'Node 20') },
    { target: 'there', ...fail('clock', 'late', 'Wind it.') },
  ];
  expect(renderFindings(findings)).toEqual([
    'here',
    '  ok    node   Node 20',
    '',
    'there',
    '  FAIL  clock  late',
    '               → Wind it.',
    '',
    '1 ok, 0 to look at, 1 failed',
  ]);
});

test('a console of a group says its seat and where the leader is; a group without a leader fails', () => {
  const leaderUrl = 'http://10.0.0.7:8180';
  expect(judgeSeat({ seat: 'leader', fence: 7, leaderUrl })).toEqual({
    check: 'group',
    status: 'ok',
    found: 'leads, term 7',
  });
  expect(judgeSeat({ seat: 'standby', fence: 7, leaderUrl }).found).toBe(`standby; the leader is ${leaderUrl}, term 7`);
  expect(judgeSeat({ seat: 'standby', fence: null, leaderUrl }).status).toBe('ok');
  expect(judgeSeat({ seat: 'standby', fence: null, leaderUrl: null })).toMatchObject({ status: 'fail' });
});

import type { ConsolesView, ConsoleView, GroupView } from '@weir/protocol';
import { expect, test } from 'vitest';
import { judgeConsoles, judgeLeaders } from '../../src/commands/doctor-group.ts';

const NOW = Date.parse('2026-11-30T03:00:00Z');

function viewOf(members: readonly Partial<ConsoleView>[], over: Partial<GroupView> = {}): ConsolesView {
  return {
    database: { kind: 'postgresql', place: 'db:5432/weir', answeredInMs: 1 },
    consoles: members.map((member, index) => ({
      consoleId: `con_${index}`,
      url: `http://weir-${index}:8180`,
      host: `weir-${index}`,
      version: '1',
      seat: index === 0 ? 'leader' : 'standby',
      state: 'here',
      startedAtMs: 0,
      heardAtMs: NOW,
      problems: [],
      ...member,
    })),
    group: {
      fence: 7,
      leadsSinceMs: NOW,
      redis: { place: 'redis:6379', answeredInMs: 1, problem: null },
      judgesMissing: true,
      takeovers: [],
      takeoversInDay: 2,
      ...over,
    },
  };
}

test('a group that is whole is well, and nothing is said of a console that is alone', () => {
  expect(judgeConsoles(viewOf([{}, {}, {}]), NOW)).toEqual({
    check: 'consoles',
    status: 'ok',
    found: '3 there, weir-0 leads, 2 takeovers in 24 h',
  });
  expect(judgeConsoles({ ...viewOf([{}]), group: null }, NOW)).toBeNull();
});

test('a console that is missing or could not take over is to be looked at, and so is a Redis that refuses', () => {
  const missing = { state: 'missing', heardAtMs: NOW - 3 * 3_600_000 } as const;
  const redis = { place: 'redis:6379', answeredInMs: 1, problem: 'OOM' };
  const verdict = judgeConsoles(viewOf([{}, { problems: ['database-away'] }, missing], { redis }), NOW);
  expect(verdict).toMatchObject({ check: 'consoles', status: 'warn' });
  expect(verdict?.found).toBe(
    'weir-2 (http://weir-2:8180) is missing since 3 h 0 min; weir-1 (http://weir-1:8180) is not answered by the database; Redis refuses: OOM',
  );
});

test('consoles that advertise one address are named together, with that address and the flag that tells another', () => {
  const twins = ['same-address'] as const;
  const url = 'http://10.0.0.7:8180';
  const verdict = judgeConsoles(viewOf([{ url, problems: [...twins] }, {}, { url, problems: [...twins] }]), NOW);
  expect(verdict).toMatchObject({
    status: 'warn',
    found: '2 consoles advertise http://10.0.0.7:8180: on weir-0, weir-2',
    remedy: expect.stringContaining('--advertise-url'),
  });
});

test('a group of one is no group, once it is known that nobody else is there', () => {
  expect(judgeConsoles(viewOf([{}]), NOW)).toMatchObject({
    status: 'warn',
    found: expect.stringContaining('only this'),
  });
  expect(judgeConsoles(viewOf([{}], { judgesMissing: false }), NOW)).toMatchObject({ status: 'ok' });
});

test('consoles that agents are given together are one group, or the doctor says which lead', () => {
  const [a, b] = ['http://a:8180', 'http://b:8180'];
  expect(judgeLeaders([])).toBeNull();
  expect(judgeLeaders([{ console: a, leader: null }])).toBeNull();
  expect(
    judgeLeaders([
      { console: a, leader: b },
      { console: b, leader: b },
    ]),
  ).toBeNull();
  expect(
    judgeLeaders([
      { console: a, leader: a },
      { console: b, leader: b },
    ]),
  ).toMatchObject({ check: 'one group', status: 'fail', found: `led by ${a}: ${a}; led by ${b}: ${b}` });
  for (const leader of [null, a]) {
    const verdict = judgeLeaders([
      { console: a, leader },
      { console: b, leader: null },
    ]);
    expect(verdict).toMatchObject({ status: 'fail', found: expect.stringContaining('alone: ') });
  }
});

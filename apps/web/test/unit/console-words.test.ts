import { CONSOLE_PROBLEMS, type ConsolesView, type ConsoleView } from '@weir/protocol';
import { expect, test } from 'vitest';
import { consoleName, consoleState, groupTroubles, PROBLEM_WORDS } from '../../src/words/console-words.ts';
import { loneConsole, threeConsoles, troubledConsoles } from '../fixture/consoles.ts';

const NOW = Date.parse('2026-11-30T03:00:00Z');

const without = (view: ConsolesView, ...numbers: number[]): ConsolesView => ({
  ...view,
  consoles: view.consoles.map((one) =>
    numbers.some((number) => one.consoleId === `con_${number}`) ? { ...one, state: 'missing' as const } : one,
  ),
});

test('nobody is troubled by a console that is alone, nor by a group that is well', () => {
  expect(groupTroubles(loneConsole(NOW))).toEqual([]);
  expect(groupTroubles(threeConsoles(NOW))).toEqual([]);
});

test('a console that is missing is told of first, by its machine, with when it was heard and who is left', () => {
  const [missing, unfit] = groupTroubles(troubledConsoles(NOW));
  expect(missing).toEqual({
    key: 'missing con_1',
    title: 'The console weir-1 is missing.',
    remedy: 'It did not say that it ends: look at its machine, and at http://10.20.0.11:8180. One more stands by.',
    heardAtMs: NOW - (3 * 60 + 7) * 60_000,
  });
  expect(unfit?.title).toBe('The console weir-3: the database does not answer it.');
  const alone = groupTroubles(without(threeConsoles(NOW), 1, 3));
  expect(alone).toHaveLength(2);
  expect(alone[0]?.remedy).toContain('Nobody stands by now');
});

test('what Redis says is told as it is', () => {
  const { group, ...rest } = threeConsoles(NOW);
  if (group === null) throw new Error('a group was expected');
  const redis = { ...group.redis, problem: "OOM command not allowed when used memory > 'maxmemory'." };
  const [trouble] = groupTroubles({ ...rest, group: { ...group, redis } });
  expect(trouble?.remedy).toContain("OOM command not allowed when used memory > 'maxmemory'. As long as");
});

test('consoles are called by their machines, and by their addresses where two run on one', () => {
  const { consoles } = threeConsoles(NOW);
  expect(consoles.map((one) => consoleName(one, consoles))[0]).toBe('weir-2');
  expect(consoleName({ host: '10.1.2.3', url: 'http://x' }, [])).toBe('10.1.2.3');
  const together = consoles.map((one): ConsoleView => ({ ...one, host: 'weir' }));
  expect(together.map((one) => consoleName(one, together))[0]).toBe('10.20.0.12:8180');
});

test('a state never depends on its colour, and each problem has words and a remedy', () => {
  const states = [
    consoleState({ seat: 'leader', state: 'here' }),
    consoleState({ seat: 'standby', state: 'here' }),
    consoleState({ seat: 'standby', state: 'missing' }),
  ];
  expect(new Set(states.map(({ label }) => label)).size).toBe(3);
  for (const problem of CONSOLE_PROBLEMS) {
    expect(PROBLEM_WORDS[problem].short).toMatch(/^[a-z]/);
    expect(PROBLEM_WORDS[problem].remedy).toMatch(/^[A-Z].*\.$/);
  }
});

import { expect, test } from 'vitest';
import { nearestNames } from '../../src/commands/command-names.ts';
import { weir } from '../support/running.ts';

test.each([
  [['bogus'], 'there is no command "bogus"', 'The commands are demo, console'],
  [['help', 'bogus'], 'there is no command "bogus"', 'The commands are demo, console'],
  [['copi', 'a', 'b'], 'there is no command "copi"', 'Did you mean copy?'],
  [['quota', 'tkae'], '"weir quota" has no command "tkae"', 'Did you mean take?'],
  [['quota', 'help', 'tak'], '"weir quota" has no command "tak"', 'Did you mean take?'],
  [['help', 'quota', 'bogus'], '"weir quota" has no command "bogus"', 'The commands are take, peek, reset, list.'],
  [['manifest', 'verfy'], '"weir manifest" has no command "verfy"', 'Did you mean verify?'],
])('weir %j names the word that is no command, and what was perhaps meant', async (argv, what, offered) => {
  const { code, out, err } = await weir(...argv);
  expect(code).toBe(2);
  expect(out).toBe('');
  expect(err).toContain(what);
  expect(err).toContain(offered);
});

test('an unknown command is told as JSON to whoever reads that', async () => {
  const { code, out } = await weir('bakcup', '--json');
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({
    error: { code: 'unknown-command', message: 'there is no command "bakcup"' },
  });
});

test.each([
  [['help'], 'Usage: weir [options]'],
  [['help', 'copy'], 'Usage: weir copy'],
  [['help', 'quota', 'take'], 'Usage: weir quota take'],
  [['quota', 'help', 'take'], 'Usage: weir quota take'],
  [['quota', 'help'], 'Usage: weir quota [options]'],
])('weir %j shows the help that is asked for', async (argv, usage) => {
  const { code, out } = await weir(...argv);
  expect(code).toBe(0);
  expect(out).toContain(usage);
});

test('names are near by their beginning and by few slips, and the nearest comes first', () => {
  const names = ['demo', 'console', 'copy', 'quota', 'restore', 'doctor'];
  expect(nearestNames('con', names)).toEqual(['console']);
  expect(nearestNames('cosnole', names)).toEqual(['console']);
  expect(nearestNames('coyp', names)).toEqual(['copy']);
  expect(nearestNames('dokter', names)).toEqual(['doctor']);
  expect(nearestNames('xyz', names)).toEqual([]);
});

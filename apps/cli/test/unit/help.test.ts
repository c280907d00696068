import { parseConsoleOptions } from '@weir/console';
import { OPTION_WAYS } from '@weir/console/options';
import { AGENT_DEFAULTS, AGENT_MOST, AGENT_OPTION_WAYS } from '@weir/agent/options';
import { DEFAULT_KEYS_PER_SECOND } from '@weir/quota-audit';
import { DEFAULT_TUNING } from '@weir/s3-copy';
import type { Command, Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { sizeInBytes } from '../../src/commands/flag-values.ts';
import { describedOption } from '../../src/commands/option-ways.ts';
import { weirCommand } from '../../src/program.ts';
import { weir } from '../support/running.ts';

const terminal = { out: () => undefined, err: () => undefined, interactive: false, columns: 100 };
const program = weirCommand(terminal, () => undefined);

/** Commands by what is written to run them, the program itself left out. */
function commandsBelow(command: Command, path: string[]): [string, Command][] {
  return command.commands.flatMap((each) => {
    const words = [...path, each.name()];
    return [[words.join(' '), each] satisfies [string, Command], ...commandsBelow(each, words)];
  });
}

const commands = new Map(commandsBelow(program, []));

function optionOf(name: string, flag: string): Option {
  const option = commands.get(name)?.options.find(({ long }) => long === flag);
  if (option === undefined) throw new Error(`weir ${name} has no ${flag}`);
  return option;
}

/** The default that the help of a command tells for a flag; null: none. */
function toldDefault(name: string, flag: string): string | null {
  return /\(default: ([^)]*)\)$/.exec(describedOption(optionOf(name, flag)))?.[1] ?? null;
}

describe.each([...commands.keys()])('weir %s --help', (name) => {
  test('tells no default that is the absence of anything, and what must be given', async () => {
    const { code, out } = await weir(...name.split(' '), '--help');
    expect(code).toBe(0);
    expect(out).not.toMatch(/default:\s+(false|\[\]|undefined|null)/);
    for (const option of commands.get(name)?.options ?? []) {
      expect(describedOption(option).endsWith('(required)')).toBe(option.mandatory);
      // Told once, and not in words of the description that go out of step with it.
      expect(describedOption(option).match(/default/g)?.length ?? 0).toBeLessThanOrEqual(1);
    }
  });
});

test('the help of weir console tells what a console does without each option', () => {
  const parsed = parseConsoleOptions({ dataDir: 'x' });
  if (!parsed.ok) throw new Error('these options are good');
  const { storageUrl, host, port, maxAgents, windowSeconds, logLevel, retentionDays } = parsed.options;
  const ways = OPTION_WAYS;
  const applied: [{ flag: string }, string | number][] = [
    [ways.storageUrl, storageUrl],
    [ways.host, host],
    [ways.port, port],
    [ways.maxAgents, maxAgents],
    [ways.windowSeconds, windowSeconds],
    [ways.logLevel, logLevel],
  ];
  for (const [{ flag }, value] of applied) expect(toldDefault('console', flag)).toBe(String(value));
  expect(Object.values(retentionDays).map((days) => `${days} days each`)).toEqual(
    Array.from({ length: 4 }, () => toldDefault('console', '--keep-days')),
  );
  expect(toldDefault('backup', '--storage-url')).toBe(storageUrl);
  expect(toldDefault('doctor', '--host')).toBe(host);
  expect(toldDefault('demo', '--window-seconds')).toBe(String(windowSeconds));
});

test('the help of weir agent tells what an agent does without each option', () => {
  const { slots, concurrency, holdoffMinSeconds, holdoffMaxSeconds } = AGENT_DEFAULTS;
  expect(toldDefault('agent', AGENT_OPTION_WAYS.slots.flag)).toBe(String(slots));
  expect(toldDefault('agent', AGENT_OPTION_WAYS.concurrency.flag)).toBe(String(concurrency));
  expect(toldDefault('agent', '--holdoff-seconds')).toBe(`${holdoffMinSeconds}-${holdoffMaxSeconds}`);
  expect(toldDefault('agent', '--name')).toBe('the host name');
});

test('weir agent takes as many objects at once as an agent does, and no more', () => {
  const { parseArg } = optionOf('agent', '--concurrency');
  expect(parseArg?.(String(AGENT_MOST.concurrency), undefined)).toBe(10_000);
  expect(() => parseArg?.('10001', undefined)).toThrow('from 1 to 10000');
});

test('the help of weir copy and weir audit tells what is applied without each option', () => {
  const told = (flag: string): string => toldDefault('copy', flag) ?? '';
  expect(sizeInBytes(told('--part-size'))).toBe(DEFAULT_TUNING.partBytes);
  expect(sizeInBytes(told('--multipart-threshold'))).toBe(DEFAULT_TUNING.multipartThresholdBytes);
  expect(told('--target-region')).toBe('us-east-1');
  expect(toldDefault('audit', '--rate')).toBe(String(DEFAULT_KEYS_PER_SECOND));
  expect(toldDefault('audit', '--max-lifetime')).toBe('400d');
});

test('a log level that there is not is refused by its flag', async () => {
  const { code, err } = await weir('agent', '--console', 'http://127.0.0.1:1', '--log-level', 'loud');
  expect(code).toBe(2);
  expect(err).toContain("option '--log-level <level>' argument 'loud' is invalid. It must be trace, debug");
});

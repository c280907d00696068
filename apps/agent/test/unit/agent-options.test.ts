import { describe, expect, test } from 'vitest';
import { AgentOptionsError, type AgentOptions } from '../../src/index.ts';
import { parseAgentOptions } from '../../src/config/agent-options.ts';

const good: AgentOptions = { consoleUrl: 'http://console.test:8180', stateDir: '/var/lib/weir', name: 'a1' };

function problemsOf(options: Partial<AgentOptions>): readonly string[] {
  try {
    parseAgentOptions({ ...good, ...options });
  } catch (error) {
    if (error instanceof AgentOptionsError) return error.problems.map(({ option }) => option);
    throw error;
  }
  return [];
}

function spelled(consoleUrl: string): string {
  return parseAgentOptions({ ...good, consoleUrl }).consoleUrl;
}

describe('agent options', () => {
  test('what is not given has a default', () => {
    expect(parseAgentOptions(good)).toEqual({
      consoleUrl: 'http://console.test:8180',
      enrolmentToken: null,
      stateDir: '/var/lib/weir',
      name: 'a1',
      slots: 4,
      concurrency: 256,
      holdoffMinSeconds: 30,
      holdoffMaxSeconds: 300,
      version: '0.1.0',
    });
    const { name: _, ...unnamed } = good;
    expect(parseAgentOptions(unnamed).name).not.toBe('');
  });

  test('every problem is listed at once', () => {
    const wrong = {
      consoleUrl: 'console',
      stateDir: '',
      name: ' x',
      slots: 0,
      concurrency: 1.5,
      holdoffMinSeconds: -1,
    };
    expect(problemsOf(wrong)).toEqual(['consoleUrl', 'stateDir', 'name', 'slots', 'concurrency', 'holdoffMinSeconds']);
  });

  test.each<Partial<AgentOptions>>([
    { consoleUrl: 'ftp://console.test' },
    { consoleUrl: 'http://admin:secret@console.test' },
    { consoleUrl: 'http://console.test/?a=1' },
    { enrolmentToken: '' },
    { enrolmentToken: 'two words' },
    { name: '' },
    { name: 'n'.repeat(65) },
    { slots: 65 },
    { slots: Number.NaN },
    { concurrency: 10_001 },
    { holdoffMaxSeconds: 3_601 },
    { holdoffMinSeconds: 20, holdoffMaxSeconds: 10 },
  ])('%o is refused', (options) => {
    expect(problemsOf(options)).toHaveLength(1);
  });

  test('no secret is repeated in a message', () => {
    const options = { ...good, consoleUrl: 'http://u:hunter2@console.test', enrolmentToken: 'hunter3 hunter4' };
    expect(() => parseAgentOptions(options)).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/hunter/) }),
    );
  });

  test('one console has one spelling, so that its credential is found again', () => {
    expect(spelled('HTTP://Console.Test:80/')).toBe('http://console.test');
    expect(spelled('http://console.test')).toBe('http://console.test');
    expect(spelled('https://console.test/weir/')).toBe('https://console.test/weir');
  });
});

import { describe, expect, test } from 'vitest';
import { AgentOptionsError, type AgentOptions } from '../../src/index.ts';
import { parseAgentOptions } from '../../src/config/agent-options.ts';

const good: AgentOptions = { consoleUrls: ['http://console.test:8180'], stateDir: '/var/lib/weir', name: 'a1' };

function problemsOf(options: Partial<AgentOptions>): readonly string[] {
  try {
    parseAgentOptions({ ...good, ...options });
  } catch (error) {
    if (error instanceof AgentOptionsError) return error.problems.map(({ option }) => option);
    throw error;
  }
  return [];
}

function spelled(...consoleUrls: string[]): readonly string[] {
  return parseAgentOptions({ ...good, consoleUrls }).consoleUrls;
}

describe('agent options', () => {
  test('what is not given has a default', () => {
    expect(parseAgentOptions(good)).toEqual({
      consoleUrls: ['http://console.test:8180'],
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
      consoleUrls: ['console'],
      stateDir: '',
      name: ' x',
      slots: 0,
      concurrency: 1.5,
      holdoffMinSeconds: -1,
    };
    expect(problemsOf(wrong)).toEqual(['consoleUrls', 'stateDir', 'name', 'slots', 'concurrency', 'holdoffMinSeconds']);
  });

  test.each<Partial<AgentOptions>>([
    { consoleUrls: ['ftp://console.test'] },
    { consoleUrls: ['http://admin:secret@console.test'] },
    { consoleUrls: ['http://console.test/?a=1'] },
    { consoleUrls: [] },
    { consoleUrls: Array.from({ length: 17 }, (_, index) => `http://console-${index}.test`) },
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
    const options = { ...good, consoleUrls: ['http://u:hunter2@console.test'], enrolmentToken: 'hunter3 hunter4' };
    expect(() => parseAgentOptions(options)).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/hunter/) }),
    );
  });

  test('one console has one spelling, so that its credential is found again', () => {
    expect(spelled('HTTP://Console.Test:80/')).toEqual(['http://console.test']);
    expect(spelled('https://console.test/weir/')).toEqual(['https://console.test/weir']);
    expect(spelled('http://a.test', 'http://b.test/', 'http://A.test')).toEqual(['http://a.test', 'http://b.test']);
  });

  test('of several consoles each one that cannot be used is named', () => {
    const consoleUrls = ['http://a.test', 'b.test:8180', 'http://c.test', 'http://u:hunter2@d.test'];
    expect(() => parseAgentOptions({ ...good, consoleUrls })).toThrow(
      'consoleUrls (--console) number 2 of 4 must start with http:// or https://; consoleUrls (--console) number 4 of 4 must not contain a user name',
    );
  });
});

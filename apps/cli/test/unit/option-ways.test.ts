import { AGENT_OPTION_WAYS } from '@weir/agent/options';
import type { AgentOptions } from '@weir/agent';
import type { ConsoleOptions } from '@weir/console';
import { OPTION_WAYS, type OptionWays } from '@weir/console/options';
import { afterEach, expect, test, vi } from 'vitest';
import { givenOptions } from '../../src/commands/option-ways.ts';
import { weir } from '../support/running.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('every option is in its table', () => {
  const ofConsole: Record<keyof ConsoleOptions, OptionWays> = OPTION_WAYS;
  const ofAgent: Record<keyof AgentOptions, OptionWays> = AGENT_OPTION_WAYS;
  // The compiler has looked already; at least nothing is in two ways the same.
  for (const table of [ofConsole, ofAgent]) {
    const variables = Object.values(table).flatMap(({ variable }) => variable ?? []);
    expect(new Set(variables).size).toBe(variables.length);
  }
});

test('a flag goes before its variable, and what neither gives is left out', () => {
  const flags = { advertiseUrl: 'http://flag', tlsCert: 'c.pem' };
  const environment = {
    WEIR_ADVERTISE_URL: 'http://variable',
    WEIR_REDIS_URL: 'redis://a',
    WEIR_ADMIN_PASSWORD: 'secret',
  };
  expect(givenOptions(OPTION_WAYS, flags, environment)).toEqual({
    advertiseUrl: 'http://flag',
    tlsCertFile: 'c.pem',
    redisUrl: 'redis://a',
    adminPassword: 'secret',
  });
});

test.each([
  ['console', OPTION_WAYS],
  ['agent', AGENT_OPTION_WAYS],
])('weir %s takes every flag that its errors name, and its help tells the variables', async (command, table) => {
  const { out } = await weir(command, '--help');
  for (const { flag, variable } of Object.values<{ flag?: string; variable?: string }>(table)) {
    expect(out).toContain(flag ?? variable ?? '');
    expect(out).toContain(variable ?? flag ?? '');
  }
});

test('options that cannot be used are refused by the names under which they can be given', async () => {
  vi.stubEnv('WEIR_REDIS_URL', 'redis://127.0.0.1:1');
  vi.stubEnv('WEIR_STORAGE_URL', undefined);
  vi.stubEnv('WEIR_TOKEN', 'two words');
  const console = await weir('console', '--host', '0.0.0.0', '--port', '0');
  expect(console.code).toBe(2);
  expect(console.err).toContain('advertiseUrl (--advertise-url, WEIR_ADVERTISE_URL) is missing: must name the address');
  expect(console.err).toContain(
    'redisUrl (--redis, WEIR_REDIS_URL) needs storageUrl (--storage-url, WEIR_STORAGE_URL)',
  );
  const agent = await weir('agent', '--console', 'ftp://x', '--holdoff-seconds', '5-9999');
  expect(agent.code).toBe(2);
  expect(agent.err).toContain('consoleUrls (--console) must start with http://');
  expect(agent.err).toContain('enrolmentToken (--token, WEIR_TOKEN) must be the token');
  expect(agent.err).toContain('holdoffMaxSeconds (--holdoff-seconds) must be a number of seconds');
});

import { expect, test } from 'vitest';
import { InvalidConsoleOptions, parseConsoleOptions } from '../../src/config/console-options.ts';

test('only a data directory has to be given; the console is then reachable from its own machine only', () => {
  expect(parseConsoleOptions({ dataDir: '/data' })).toEqual({
    ok: true,
    options: {
      dataDir: '/data',
      host: '127.0.0.1',
      port: 8_180,
      storageUrl: 'sqlite:',
      windowSeconds: 30,
      initialSplit: 24,
      trustedProxies: [],
      maxAgents: 200_000,
      retentionDays: { jobs: 400, failures: 400, alarms: 400, audit: 400 },
      accounts: [],
      logLevel: 'info',
    },
  });
});

test('every problem is listed at once', () => {
  const parsed = parseConsoleOptions({
    host: '',
    port: 99_999,
    windowSeconds: 0,
    publicUrl: 'weir.example.org',
    adminPassword: 'short',
    tlsCertFile: '/cert.pem',
    colour: 'red',
    accounts: [{ username: 'Ann Smith', role: 'boss', password: 'x' }],
  });
  expect(parsed.ok ? [] : parsed.problems.map(({ field }) => field).toSorted()).toEqual([
    'accounts.0.password',
    'accounts.0.role',
    'accounts.0.username',
    'adminPassword',
    'colour',
    'dataDir',
    'host',
    'port',
    'publicUrl',
    'tlsKeyFile',
    'windowSeconds',
  ]);
});

test('the error has a line for each problem, without passwords', () => {
  const input = { dataDir: '/data', port: -1, adminPassword: 'hunter2' };
  const parsed = parseConsoleOptions(input);
  const { message } = new InvalidConsoleOptions(parsed.ok ? [] : parsed.problems);
  expect(message.split('\n')).toEqual([
    'The console cannot start with these options:',
    '  port (--port) must be at least 0 (it is "-1")',
    '  adminPassword (WEIR_ADMIN_PASSWORD) must have at least 8 characters',
  ]);
});

test('an error names every way in which an option can be given, also those that it only speaks of', () => {
  const input = {
    dataDir: 'd',
    host: '::',
    redisUrl: 'redis://a',
    tlsCertFile: 'c',
    trustedProxies: ['x'],
    accounts: 7,
  };
  const parsed = parseConsoleOptions(input);
  const { message } = new InvalidConsoleOptions(parsed.ok ? [] : parsed.problems);
  for (const line of [
    'advertiseUrl (--advertise-url, WEIR_ADVERTISE_URL) is missing: must name the address',
    'redisUrl (--redis, WEIR_REDIS_URL) needs storageUrl (--storage-url, WEIR_STORAGE_URL) postgres://…',
    'tlsKeyFile (--tls-key) is missing: must be given together with tlsCertFile (--tls-cert)',
    'trustedProxies.0 (--trusted-proxies, WEIR_TRUSTED_PROXIES) must be',
    'accounts must be',
  ]) {
    expect(message).toContain(`\n  ${line}`);
  }
  expect(message).not.toMatch(/is missing: is/);
});

test('windows are 1 to 300 seconds long', () => {
  for (const windowSeconds of [1, 2.5, 300]) expect(parseConsoleOptions({ dataDir: 'd', windowSeconds }).ok).toBe(true);
  for (const windowSeconds of [0.5, 301, '30', Number.NaN])
    expect(parseConsoleOptions({ dataDir: 'd', windowSeconds }).ok).toBe(false);
});

test('consoles of a group share PostgreSQL, and each has an address at which the others reach it', () => {
  const group = { dataDir: 'd', storageUrl: 'postgres://weir@db/weir', redisUrl: 'redis://:hunter2@cache:6379/1' };
  const problems = (change: object): unknown => {
    const parsed = parseConsoleOptions({ ...group, ...change });
    return parsed.ok ? [] : parsed.problems;
  };
  expect(problems({})).toEqual([]);
  expect(problems({ redisUrl: 'rediss://cache' })).toEqual([]);
  expect(problems({ host: '0.0.0.0', advertiseUrl: 'http://10.0.0.7:8180' })).toEqual([]);
  expect(problems({ storageUrl: 'sqlite:' })).toMatchObject([
    { field: 'redisUrl', problem: expect.stringContaining('needs storageUrl (--storage-url, WEIR_STORAGE_URL)') },
  ]);
  for (const host of ['0.0.0.0', '::']) {
    expect(problems({ host })).toMatchObject([
      { field: 'advertiseUrl', problem: expect.stringMatching(/^is missing: must name the address/) },
    ]);
  }
  for (const redisUrl of [
    'cache:6379',
    'http://:hunter2@cache',
    'redis://:hunter2@cache/one',
    'redis://:hunter2@cache?x=1',
  ]) {
    const found = problems({ redisUrl });
    expect(found).toMatchObject([{ field: 'redisUrl' }]);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  }
  for (const advertiseUrl of ['10.0.0.7', 'ftp://10.0.0.7', 'http://10.0.0.7/weir', 'http://ann@10.0.0.7']) {
    expect(problems({ advertiseUrl })).toMatchObject([{ field: 'advertiseUrl' }]);
  }
});

const read = (trustedProxies: unknown): ReturnType<typeof parseConsoleOptions> =>
  parseConsoleOptions({ dataDir: 'd', trustedProxies });

test('proxies are addresses or blocks of them, and never all addresses', () => {
  expect(read(['10.0.0.0/8', '192.0.2.1', '::1', 'fd00::/8']).ok).toBe(true);
  for (const wrong of ['proxy.example', '10.0.0.0/33', '0.0.0.0/0', '::/0', '', '10.0.0.1:80']) {
    const parsed = read(['10.0.0.1', wrong]);
    expect(parsed.ok ? [] : parsed.problems.map(({ field }) => field)).toEqual(['trustedProxies.1']);
  }
});

test('what has ended is kept for at least a day, each kind for as long as it is told, else 400 days', () => {
  const parsed = parseConsoleOptions({ dataDir: 'd', retentionDays: { jobs: 1, audit: 3_650 } });
  expect(parsed.ok && parsed.options.retentionDays).toEqual({ jobs: 1, failures: 400, alarms: 400, audit: 3_650 });
  const wrong = parseConsoleOptions({ dataDir: 'd', retentionDays: { jobs: 0, alarms: 40_000, sessions: 9 } });
  expect(wrong.ok ? [] : wrong.problems.map(({ field }) => field).toSorted()).toEqual([
    'retentionDays.alarms',
    'retentionDays.jobs',
    'retentionDays.sessions',
  ]);
});

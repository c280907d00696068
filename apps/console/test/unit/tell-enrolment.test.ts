import { expect, test } from 'vitest';
import { tellEnrolment } from '../../src/actions/tell-enrolment.ts';
import type { HeardConsole, Roster } from '../../src/ports/roster.ts';

const SELF = { consoleId: 'con_0', url: 'http://leader:8180', host: 'h', version: '1' };

function rosterOf(...consoles: Partial<HeardConsole>[]): Roster {
  const heard = consoles.map((over, n) => {
    const place = { ...SELF, consoleId: `con_${n}`, url: `http://weir-${n}:8180` };
    return { ...place, uptimeMs: 1, silentMs: n, databaseAnswers: true, differs: null, ...over };
  });
  const look = { consoles: heard, answeredInMs: 1, problem: null, judgesMissing: true };
  return { self: SELF, place: 'redis:6379', look: async () => look };
}

const context = { enrolmentToken: 'token', publicUrl: null };
const told = async (roster?: Roster, publicUrl: string | null = null) =>
  tellEnrolment({ ...context, publicUrl }, { url: publicUrl ?? 'http://own:8180', roster });

test('of a console that is alone the command names its address', async () => {
  expect(await told()).toEqual({
    token: 'token',
    command: 'WEIR_TOKEN=token weir agent --console http://own:8180',
    consoleUrls: ['http://own:8180'],
  });
});

test('of a group it names each console once: the leader, those that are there, those that are missing', async () => {
  const missing = { url: 'http://missing:8180', silentMs: 3_600_000 };
  const roster = rosterOf(
    SELF,
    missing,
    { differs: 'version' },
    { url: 'http://weir-2:8180' },
    { databaseAnswers: false },
  );
  const { command, consoleUrls } = await told(roster);
  expect(consoleUrls).toEqual([
    'http://leader:8180',
    'http://weir-2:8180',
    'http://weir-4:8180',
    'http://missing:8180',
  ]);
  expect(command).toBe(`WEIR_TOKEN=token weir agent --console ${consoleUrls?.join(',')}`);
});

test('it names no console that does not belong to the group, nothing that a shell would run, and no more than agents take', async () => {
  const strange: Partial<HeardConsole>[] = [
    { differs: 'secrets' },
    { differs: 'database' },
    { url: 'http://a$(id):8180' },
    { url: 'http://a;id' },
    { url: 'http://a/`id`' },
  ];
  expect((await told(rosterOf(SELF, ...strange))).consoleUrls).toEqual([SELF.url]);
  const many = rosterOf(SELF, ...Array.from({ length: 40 }, () => ({})));
  expect((await told(many)).consoleUrls).toHaveLength(16);
  expect((await told(rosterOf({ url: 'http://[fd00::7]:8180' }))).consoleUrls).toContain('http://[fd00::7]:8180');
});

test('an address that agents are told to use is the only one', async () => {
  expect((await told(rosterOf({}, {}), 'https://weir.example')).consoleUrls).toEqual(['https://weir.example']);
});

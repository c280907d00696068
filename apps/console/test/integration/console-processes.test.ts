import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Group, until } from '../support/group-of-consoles.ts';
import { PASSWORDS } from '../support/running-console.ts';

const SCRIPT = fileURLToPath(new URL('../support/group-member.ts', import.meta.url));

interface Member {
  readonly child: ChildProcess;
  readonly url: string;
}

interface Seat {
  seat: string;
  fence: number | null;
  leaderUrl: string | null;
}

let group: Group;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  group = await Group.start();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await group.stop();
});

async function start(name: string): Promise<Member> {
  const options = { ...(await group.options(name)), port: 0, adminPassword: PASSWORDS.admin, logLevel: 'silent' };
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions=@weir/source', SCRIPT, JSON.stringify(options)],
    { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  children.add(child);
  for await (const line of createInterface(child.stdout)) return { child, url: JSON.parse(line).url };
  throw new Error(`${name} ended before it answered`);
}

async function seatOf({ url }: Member): Promise<Seat> {
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) });
  return (await answer.json()).group;
}

async function login(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: PASSWORDS.admin }),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

function save(url: string, cookie: string, name: string): Promise<Response> {
  const body = { name, url: 'http://127.0.0.1:9001', accessKeyId: 'src', secretAccessKey: 'src-secret' };
  const headers = { 'content-type': 'application/json', cookie };
  return fetch(`${url}/api/v1/endpoints`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function namesAt(url: string, cookie: string): Promise<string[]> {
  const answer = await fetch(`${url}/api/v1/endpoints`, { headers: { cookie } });
  return (await answer.json()).endpoints.map(({ name }: { name: string }) => name);
}

/** The member that leads, in time. */
async function leaderAmong(members: readonly Member[]): Promise<Member> {
  let leader: Member | undefined;
  await until('one of them leads', async () => {
    const seats = await Promise.all(members.map(seatOf));
    leader = members[seats.findIndex(({ seat }) => seat === 'leader')];
    return leader !== undefined;
  });
  if (leader === undefined) throw new Error('nobody leads');
  return leader;
}

test('a killed leader is followed within seconds; a stopped one that wakes up writes nothing more and passes on', async () => {
  let members = await Promise.all(['a', 'b', 'c'].map((name) => start(name)));
  const killed = await leaderAmong(members);
  const cookie = await login(killed.url);
  expect((await save(killed.url, cookie, 'before')).status).toBe(200);
  killed.child.kill('SIGKILL');
  members = members.filter((member) => member !== killed);
  const killedAtMs = performance.now();
  const stopped = await leaderAmong(members);
  // Measured 3.4 to 4.3 s with 16 processes waiting for two cores; here with room for worse.
  expect(performance.now() - killedAtMs).toBeLessThan(15_000);
  expect(await namesAt(stopped.url, cookie)).toEqual(['before']);

  const [last = stopped] = members.filter((member) => member !== stopped);
  const { fence } = await seatOf(stopped);
  // Changes that are on their way when it is stopped, and changes that it finds when it wakes up.
  const asked = Array.from({ length: 40 }, (_, n) => `asked-${n}`);
  const answering = asked.slice(0, 20).map((name) => save(stopped.url, cookie, name));
  stopped.child.kill('SIGSTOP');
  answering.push(...asked.slice(20).map((name) => save(stopped.url, cookie, name)));
  await leaderAmong([last]);
  expect((await seatOf(last)).fence).toBeGreaterThan(fence ?? 0);
  expect((await save(last.url, cookie, 'after')).status).toBe(200);
  const known = new Set(await namesAt(last.url, cookie));

  stopped.child.kill('SIGCONT');
  const statuses = (await Promise.all(answering)).map(({ status }) => status);
  await until('it passes on', async () => (await seatOf(stopped)).leaderUrl === last.url);
  expect(await seatOf(stopped)).toMatchObject({ seat: 'standby' });
  const names = new Set(await namesAt(stopped.url, cookie));
  expect(names).toContain('after');
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  const confirmed = asked.filter((_, index) => statuses[index] === 200);
  expect(confirmed.filter((name) => !names.has(name))).toEqual([]);
  // What was not confirmed may have been written in its term, but not after the next one began.
  const unconfirmed = asked.filter((_, index) => statuses[index] !== 200);
  expect(unconfirmed.filter((name) => names.has(name) && !known.has(name))).toEqual([]);
});

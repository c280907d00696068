import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EnrolmentError, startAgent } from '../../src/index.ts';
import { startS3Pair, TestFleet, until, type S3Pair } from './fleet.ts';

let s3: S3Pair;
let fleet: TestFleet;

beforeAll(async () => {
  s3 = await startS3Pair();
  fleet = await TestFleet.start(s3, { windowSeconds: 1, initialSplit: 1 });
});

afterAll(async () => {
  await fleet.stop();
  await s3.stop();
});

async function credentialFileOf(name: string): Promise<string> {
  const folder = join(fleet.folder, 'state');
  const file = (await readdir(folder)).find((entry) => entry.endsWith(`-${name}.json`));
  if (file === undefined) throw new Error(`no credential of ${name} in ${folder}`);
  return join(folder, file);
}

test('the first start enrols with the token, later ones use the stored credential and stay the same agent', async () => {
  const first = await fleet.startAgent('keeper');
  await first.stop();
  const again = await startAgent(
    { consoleUrls: [fleet.console.url], stateDir: join(fleet.folder, 'state'), name: 'keeper' },
    { logger: fleet.logger() },
  );
  expect(again.agentId).toBe(first.agentId);
  await again.stop();
  const file = await credentialFileOf('keeper');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { agents } = await fleet.admin.call('agents');
  expect(agents.filter(({ name }) => name === 'keeper')).toHaveLength(1);
  const stored: { credential: string } = JSON.parse(await readFile(file, 'utf8'));
  expect(JSON.stringify(fleet.log)).not.toContain(stored.credential);
  expect(JSON.stringify(fleet.log)).not.toContain(fleet.console.enrolmentToken);
});

test('a wrong token is refused at once, with what to do, and leaves nothing behind', async () => {
  const starting = fleet.startAgent('stranger', { enrolmentToken: 'not-the-token' });
  await expect(starting).rejects.toBeInstanceOf(EnrolmentError);
  await expect(starting).rejects.toMatchObject({
    code: 'wrong-enrolment-token',
    message: expect.stringContaining('Agents page'),
  });
  await expect(credentialFileOf('stranger')).rejects.toThrow('no credential');
  expect((await fleet.admin.call('agents')).agents.map(({ name }) => name)).not.toContain('stranger');
});

test('without token and credential the agent says how to get in', async () => {
  const { enrolmentToken: _, ...options } = fleet.agentOptions('forgetful');
  await expect(startAgent(options, { logger: fleet.logger() })).rejects.toMatchObject({
    code: 'token-missing',
    message: expect.stringContaining('enrolment token'),
  });
});

test('a name that is online is not taken over', async () => {
  const owner = await fleet.startAgent('owner');
  await rm(await credentialFileOf('owner'));
  await expect(fleet.startAgent('owner')).rejects.toMatchObject({ code: 'name-taken' });
  await owner.stop();
});

test('an agent that is revoked ends by itself and says why; its credential does not let it in again', async () => {
  const agent = await fleet.startAgent('outcast');
  await fleet.admin.call('revokeAgent', { params: { agentId: agent.agentId } });
  const end = await agent.done;
  expect(end).toMatchObject({
    reason: 'refused',
    revoked: true,
    error: { message: expect.stringContaining('The agent outcast was revoked by admin') },
  });
  const { enrolmentToken: _, ...withoutToken } = fleet.agentOptions('outcast');
  await expect(startAgent(withoutToken, { logger: fleet.logger() })).rejects.toMatchObject({
    code: 'agent-revoked',
    message: expect.stringContaining(await credentialFileOf('outcast')),
  });
});

test('a revoked agent that is started with the enrolment token enrols again as a new agent, which its next start knows', async () => {
  const revoked = await fleet.startAgent('prodigal');
  await fleet.admin.call('revokeAgent', { params: { agentId: revoked.agentId } });
  await revoked.done;
  const again = await fleet.startAgent('prodigal');
  expect(again.agentId).not.toBe(revoked.agentId);
  await again.stop();
  const { enrolmentToken: _, ...withoutToken } = fleet.agentOptions('prodigal');
  const known = await startAgent(withoutToken, { logger: fleet.logger() });
  expect(known.agentId).toBe(again.agentId);
  await known.stop();
  const { agents } = await fleet.admin.call('agents');
  expect(agents.filter(({ name }) => name === 'prodigal').map(({ revoked }) => revoked)).toEqual([true, false]);
});

test('a damaged credential is reported, not replaced', async () => {
  await (await fleet.startAgent('unlucky')).stop();
  const file = await credentialFileOf('unlucky');
  await writeFile(file, '{"consoleUrl": "');
  await expect(fleet.startAgent('unlucky')).rejects.toThrow(/damaged/);
  expect(await readFile(file, 'utf8')).toBe('{"consoleUrl": "');
});

test('an agent that is started before its console waits for it, and can be told to give up', async () => {
  const { port } = new URL(fleet.console.url);
  await fleet.console.stop();
  const impatient = new AbortController();
  const givingUp = fleet.startAgent('impatient', {}, { signal: impatient.signal });
  const early = fleet.startAgent('early');
  await until('two tries', 10_000, () =>
    fleet.log.filter(({ msg }) => msg === 'waiting for the console').length >= 2 ? true : null,
  );
  const reason = new Error('never mind');
  impatient.abort(reason);
  await expect(givingUp).rejects.toBe(reason);
  await fleet.restartConsole(0);
  expect(new URL(fleet.console.url).port).toBe(port);
  expect((await early).name).toBe('early');
});

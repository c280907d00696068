import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROTOCOL_VERSION } from '@weir/protocol';
import { RECORDED, VERSION_1, type RecordedCall } from '../../../../packages/protocol/test/fixtures/version-1.ts';
import { codeOf, heartbeat, HttpConsole } from '../support/running-console.ts';

let server: HttpConsole;
let cookie: string;
beforeAll(async () => {
  server = await HttpConsole.start({ windowSeconds: 2, initialSplit: 3 });
  cookie = await server.login();
});
afterAll(() => server.stop());

/** Ids and numbers that this console gave where the recorded one gave others; the agent repeats them. */
class Replay {
  readonly #given = new Map<string, string>();

  /** Learns from an answer what stands where the recorded one had something else. */
  learn(recorded: unknown, answer: unknown): void {
    if (typeof recorded === 'string' && typeof answer === 'string') this.#given.set(recorded, answer);
    if (typeof recorded !== 'object' || typeof answer !== 'object' || recorded === null || answer === null) return;
    for (const [name, value] of Object.entries(recorded)) this.learn(value, Reflect.get(answer, name));
  }

  text(recorded: string): string {
    return [...this.#given].reduce((text, [old, now]) => (old === '' ? text : text.replaceAll(old, now)), recorded);
  }
}

async function send(replay: Replay, { route, path, request }: RecordedCall) {
  const recorded = RECORDED.find((call) => call.route === 'enrol')?.answer['credential'];
  const credential = replay.text(typeof recorded === 'string' ? recorded : '');
  const bearer = route === 'enrol' ? server.running.enrolmentToken : credential;
  return server.call('POST', replay.text(path), { bearer, body: replay.text(JSON.stringify(request)) });
}

test('an agent of version 1 copies a job with a console of today, from its enrolment to its goodbye, as it was recorded', async () => {
  const jobId = await server.job(cookie, 'copy', { manifest: false });
  const replay = new Replay();
  for (const call of RECORDED) {
    const answer = await send(replay, call);
    expect(answer.status, `${call.route}: ${answer.text}`).toBe(200);
    expect(VERSION_1[call.route].answer.safeParse(answer.body)).toMatchObject({ success: true });
    replay.learn(call.answer, answer.body);
  }
  const job = (await server.call('GET', `/api/v1/jobs/${jobId}`, { cookie })).body;
  expect(job).toMatchObject({
    state: 'completed',
    counters: { objectsCopied: 500, objectsFailed: 0 },
    holdoffCount: 1,
  });
  const { agents } = (await server.call('GET', '/api/v1/agents', { cookie })).body;
  expect(agents).toMatchObject([{ name: 'old', protocolVersion: 1, holdoffCount: 1 }]);
});

test('the answer to a heartbeat says which version the console speaks', async () => {
  const { credential } = await server.enrol('of-today');
  const answer = await server.call('POST', '/api/v1/agent/heartbeat', { bearer: credential, body: heartbeat() });
  expect(answer.body).toMatchObject({ protocolVersion: PROTOCOL_VERSION });
});

test('a newer agent that speaks this version is let in, and one that does not is told which side to upgrade', async () => {
  const protocolVersion = PROTOCOL_VERSION + 1;
  const { credential } = await server.enrol('newer');
  const call = (body: object) => server.call('POST', '/api/v1/agent/heartbeat', { bearer: credential, body });
  expect((await call(heartbeat({ protocolVersion }))).status).toBe(200);
  const refused = await call(heartbeat({ protocolVersion, mood: 'good' }));
  expect(refused.status).toBe(409);
  expect(codeOf(refused)).toBe('protocol-too-new');
  expect(refused.body.error).toMatchObject({
    message: expect.stringContaining('upgrade the console first'),
    fields: [{ field: 'protocolVersion', value: String(protocolVersion) }, { field: 'mood' }],
  });
  expect(codeOf(await call(heartbeat({ mood: 'good' })))).toBe('validation-failed');
});

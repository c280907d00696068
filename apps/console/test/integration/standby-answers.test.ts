import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isForLeader } from '../../src/http/standby-server.ts';
import { Group, until } from '../support/group-of-consoles.ts';
import { heartbeat, type HttpConsole } from '../support/running-console.ts';

let group: Group;
let leader: HttpConsole;
let standby: HttpConsole;
beforeAll(async () => {
  group = await Group.start();
  leader = await group.console('leader');
  standby = await group.console('standby');
  await until('the standby knows the leader', () => standby.running.seat()?.leaderUrl === leader.url);
});
afterAll(() => group.stop());

/** Sends a target as it is: a URL parser would tidy it up. */
function ask(console: HttpConsole, target: string, method = 'GET'): Promise<string> {
  const { hostname, port } = new URL(console.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: target, method }, (answer) => {
      text(answer).then((body) => resolve(`${answer.statusCode} ${body}`), reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('however a path is spelled, a standby answers as the leader does', async () => {
  const info = await ask(leader, '/api/v1/info');
  expect(info).toMatch(/^200 .*"product":"Weir"/);
  const same = [
    '/%61pi/v1/info',
    '/%61%70%69/v1/inf%6f',
    '/api/v1/info?x=%zz',
    '/api/v1/info#part',
    '/%61pi/v1/info?a=/b',
  ];
  for (const target of [...same, 'http://elsewhere.example/api/v1/info', 'HTTP://elsewhere.example/%61pi/v1/info']) {
    expect(await ask(leader, target), `the leader, ${target}`).toBe(info);
    expect(await ask(standby, target), `the standby, ${target}`).toBe(info);
  }
  const others =
    '/api /api/ /%61pi /api/v1 /api/v1/agents /%61pi/v1/%61gents /docs /%64ocs/ /api?x /api#x /api%2Fv1/info /api%2fv1%2finfo ' +
    '/%2561pi/v1/info //api/v1/info /./api/v1/info /x/../api/v1/info /API/v1/info /api;x/v1/info /api%3Fx /api%23x /apis/v1/info ' +
    '/%zz /api/%zz /%61pi/%zz /api/%ff /%E2%82%AC /nothing /monitor /?/api/v1/info /#/api/v1/info /%00/api *';
  for (const target of others.split(' ')) {
    for (const method of ['GET', 'DELETE']) {
      const [direct, passed] = [await ask(leader, target, method), await ask(standby, target, method)];
      expect(passed, `${method} ${target}`).toBe(direct);
    }
  }
});

test('what the leader alone answers is told from what a standby answers itself', () => {
  const leaders = ['/api', '/docs?x', '/%64ocs', '/api#x', 'https://weir.example/api/v1/info'];
  const own = ['/', '/healthz', '/metrics', '/assets/api', '/apis', '/%zz', 'https://weir.example', '*', ''];
  expect([...leaders, ...own].filter(isForLeader)).toEqual(leaders);
});

test('a chunked body that is too large is refused at a standby as at the leader, time after time, and nothing stays behind', async () => {
  const { credential } = await leader.enrol();
  for (const console of [leader, standby, standby, standby]) {
    let sent = 0;
    const pieces = new ReadableStream<Uint8Array>({
      pull(controller) {
        if ((sent += 1) > 40) controller.close();
        else controller.enqueue(new Uint8Array(65_536).fill(120));
      },
    });
    const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: pieces, duplex: 'half' as const };
    const answer = await fetch(`${console.url}/api/v1/agent/heartbeat`, init);
    expect([answer.status, (await answer.json()).error.code]).toEqual([413, 'payload-too-large']);
  }
  const bearer = credential;
  const heard = await standby.call('POST', '/api/v1/agent/heartbeat', { bearer, body: heartbeat() });
  expect(heard.status).toBe(200);
  expect(standby.logs.filter((line) => line.includes('could not be passed on'))).toEqual([]);
});

test('the command that enrols an agent names every console of the group, whichever is asked for it', async () => {
  const cookie = await leader.login();
  const addresses = async (console: HttpConsole): Promise<string[]> => {
    const { body } = await console.call('GET', '/api/v1/enrolment', { cookie });
    expect(body.command).toContain(`weir agent --console ${body.consoleUrls.join(',')}`);
    return body.consoleUrls;
  };
  await until('the standby is known', async () => (await addresses(leader)).includes(standby.url));
  for (const console of [leader, standby]) expect(await addresses(console)).toEqual([leader.url, standby.url]);
});

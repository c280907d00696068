import { lookup } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { fail, ok, reasonOf, type Verdict, warn } from './doctor-finding.ts';
import { remedyFor } from '../output/connection-cause.ts';
import { PATIENCE_MS, withinPatience } from '../output/patience.ts';
import { judgeCertificate, judgeClock } from './doctor-verdicts.ts';

/** Name, connection, certificate and clock of an HTTP server; `reached`: whether it makes sense to ask it more. */
export async function examineServer(url: URL, nowMs: () => number): Promise<{ reached: boolean; verdicts: Verdict[] }> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const name = await judgeName(host);
  const verdicts = [...name];
  if (name.some(({ status }) => status === 'fail')) return { reached: false, verdicts };
  const connection = await judgeConnection(host, port);
  verdicts.push(connection);
  if (connection.status === 'fail') return { reached: false, verdicts };
  if (url.protocol === 'https:') {
    const certificate = await judgeServedCertificate(host, port, nowMs());
    verdicts.push(...certificate);
    if (certificate.some(({ status }) => status === 'fail')) return { reached: false, verdicts };
  }
  verdicts.push(await judgeDateHeader(url, nowMs));
  return { reached: true, verdicts };
}

async function judgeName(host: string): Promise<Verdict[]> {
  if (isIP(host) !== 0) return [];
  try {
    const addresses = await withinPatience(lookup(host, { all: true }));
    return [ok('name', addresses.map(({ address }) => address).join(', '))];
  } catch (error) {
    return [
      fail('name', `${host} is not found: ${reasonOf(error)}`, remedyFor(error, 'http', 'Check the name servers.')),
    ];
  }
}

async function judgeConnection(host: string, port: number): Promise<Verdict> {
  const startedMs = performance.now();
  try {
    await opened(connectTcp({ host, port }), 'connect');
    return ok('connection', `answers after ${Math.round(performance.now() - startedMs)} ms`);
  } catch (error) {
    const remedy = remedyFor(error, 'http', 'Check that it runs, on this port, and that no firewall is between.');
    return fail('connection', `not reached: ${reasonOf(error)}`, remedy);
  }
}

/** Resolves when the socket is open, and closes it. */
async function opened<S extends Socket>(
  socket: S,
  event: string,
  look: (socket: S) => void = () => undefined,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.setTimeout(PATIENCE_MS, () => reject(new Error(`no answer within ${PATIENCE_MS / 1_000} s`)));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.once(event, () => {
      look(socket);
      resolve();
    });
  }).finally(() => socket.destroy());
}

async function judgeServedCertificate(host: string, port: number, nowMs: number): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const servername = isIP(host) === 0 ? { servername: host } : {};
  try {
    // Looked at even when it is not trusted, to say why; nothing is sent over this connection.
    await opened<TLSSocket>(
      connectTls({ host, port, ...servername, rejectUnauthorized: false }),
      'secureConnect',
      (socket) => {
        const { valid_from: from, valid_to: to } = socket.getPeerCertificate();
        const dates = judgeCertificate(Date.parse(from), Date.parse(to), nowMs);
        verdicts.push(dates);
        if (socket.authorized || dates.status === 'fail') return;
        const remedy = 'Name the authority that signed it in NODE_EXTRA_CA_CERTS, or use the name that it is made for.';
        verdicts.push(fail('trust', `not trusted here: ${reasonOf(socket.authorizationError)}`, remedy));
      },
    );
  } catch (error) {
    verdicts.push(
      fail('certificate', `no TLS: ${reasonOf(error)}`, 'Check the port, or write http:// if it speaks no TLS.'),
    );
  }
  return verdicts;
}

async function judgeDateHeader(url: URL, nowMs: () => number): Promise<Verdict> {
  const startedMs = nowMs();
  try {
    const date = await dateOf(url);
    const tookMs = nowMs() - startedMs;
    if (date === undefined || Number.isNaN(Date.parse(date))) {
      return warn('clock', 'the server does not tell its time', 'Compare its clock by hand.');
    }
    // The header has whole seconds: the moment was somewhere within it.
    return judgeClock(Date.parse(date) + 500 - (startedMs + tookMs / 2), 500 + tookMs / 2);
  } catch (error) {
    return fail('answer', `no HTTP answer: ${reasonOf(error)}`, 'Check that the address is that of the server itself.');
  }
}

function dateOf(url: URL): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const answered = (answer: IncomingMessage): void => {
      resolve(answer.headers.date);
      answer.destroy();
    };
    const call = request(url, { method: 'GET', agent: false, timeout: PATIENCE_MS }, answered);
    call.once('timeout', () => call.destroy(new Error(`no answer within ${PATIENCE_MS / 1_000} s`)));
    call.once('error', reject);
    call.end();
  });
}

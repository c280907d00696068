import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { isForbiddenAddress } from '@weir/protocol';
import type { SendOutcome, WebhookSender } from '../ports/webhook-sender.ts';
import { FORBIDDEN_ADDRESS, guardedLookup } from './guarded-lookup.ts';

/** How long one message may take from the look-up of the name to the status of the answer, in ms. */
const TIMEOUT_MS = 10_000;

/**
 * Sends over HTTP and HTTPS. Names are looked up by the connection itself and checked there: what a name pointed to when
 * the webhook was saved says nothing about now. Redirects are not followed, and of an answer only the status is read.
 */
export function httpWebhookSender(timeoutMs: number = TIMEOUT_MS): WebhookSender {
  const controller = new AbortController();
  return {
    send(url, headers, body) {
      const target = new URL(url);
      const host = target.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && isForbiddenAddress(host)) return Promise.resolve({ problem: FORBIDDEN_ADDRESS });
      return post(target, headers, body, AbortSignal.any([controller.signal, AbortSignal.timeout(timeoutMs)]));
    },
    close: () => controller.abort(new Error('the console is stopping')),
  };
}

function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const sent = request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      lookup: guardedLookup,
      signal,
      // One message now and then: a connection that is kept would only be found closed.
      agent: false,
    });
    sent.on('response', (answer) => {
      resolve({ status: answer.statusCode ?? 0 });
      answer.destroy();
    });
    sent.on('error', (error) =>
      resolve({ problem: signal.aborted ? whyAborted(signal) : error.message || error.name }),
    );
    sent.end(body);
  });
}

function whyAborted(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  return reason instanceof Error && reason.name !== 'TimeoutError' ? reason.message : 'it did not answer in time';
}

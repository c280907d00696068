import { ApiError, NetworkError } from '@weir/client';
import type { ErrorCode } from '@weir/protocol';

/** What a page says about an error: what happened, and what to do about it. */
export interface ErrorWords {
  title: string;
  remedy: string;
}

/** One sentence and one remedy per code of the wire; the compiler complains when a code has none. */
export const ERROR_WORDS: Readonly<Record<ErrorCode, ErrorWords>> = {
  'bad-request': {
    title: 'The console could not read this request.',
    remedy: 'Reload the page: it may be older than the console.',
  },
  'validation-failed': {
    title: 'Some of what you entered cannot be used.',
    remedy: 'Correct the marked fields and try again.',
  },
  unauthenticated: { title: 'Your session has ended.', remedy: 'Log in again; nothing was changed.' },
  'wrong-credentials': {
    title: 'User name or password is wrong.',
    remedy: 'Check both, and whether Caps Lock is on. An administrator can set a new password.',
  },
  'agent-revoked': {
    title: 'This agent was revoked.',
    remedy: 'Start it with the enrolment token of the Agents page if it is to work again.',
  },
  'wrong-enrolment-token': {
    title: 'The enrolment token is not valid.',
    remedy: 'Copy the current command from the Agents page.',
  },
  forbidden: {
    title: 'Your role does not allow this.',
    remedy: 'Ask an administrator to do it or to change your role.',
  },
  'cross-site-request': {
    title: 'The console refused a request that seems to come from another site.',
    remedy: 'Open the console by its own address. Behind a proxy, have it pass on the Host header.',
  },
  'not-found': {
    title: 'This no longer exists.',
    remedy: 'Somebody may have removed it. Go back to the list, which is up to date.',
  },
  'name-taken': { title: 'This name is already in use.', remedy: 'Choose another name.' },
  'too-many-agents': {
    title: 'This console has as many agents as it may have.',
    remedy: 'Revoke agents that are gone, or start the console with a higher limit.',
  },
  'in-use': {
    title: 'This is still in use.',
    remedy: 'Finish or cancel the copy jobs that use it first.',
  },
  'last-admin': {
    title: 'This is the only administrator.',
    remedy: 'Make another account an administrator first.',
  },
  'wrong-state': {
    title: 'This is not possible in the current state.',
    remedy: 'The state has changed meanwhile; look at it again and retry.',
  },
  'changed-meanwhile': {
    title: 'Somebody else changed this meanwhile.',
    remedy: 'Nothing of yours was saved yet. Look at what is there now, and save what is still wanted.',
  },
  'lease-lost': {
    title: 'The work was given to another agent.',
    remedy: 'Nothing to do: the other agent continues from the last checkpoint.',
  },
  'endpoint-unreachable': {
    title: 'The endpoint cannot be reached.',
    remedy: 'Check address and port, and that the console may connect to it (firewall, TLS certificate).',
  },
  'endpoint-refused-credentials': {
    title: 'The endpoint refused the credentials.',
    remedy: 'Check access key, secret key and region.',
  },
  'endpoint-forbidden-address': {
    title: 'This address is not allowed.',
    remedy: 'Link-local and metadata addresses are blocked. Use the address of the S3 server itself.',
  },
  'bucket-not-found': {
    title: 'The bucket does not exist.',
    remedy: 'Check its spelling, or create it on the server first.',
  },
  'store-unreachable': {
    title: 'The store cannot be reached.',
    remedy: 'Check address, user name and password, and that the console may connect to it.',
  },
  'protocol-too-old': {
    title: 'The other side speaks an older version.',
    remedy: 'Update it to the version of this console, and reload this page.',
  },
  'protocol-too-new': {
    title: 'The other side speaks a newer version.',
    remedy: 'Update this console first, then the other side.',
  },
  'payload-too-large': { title: 'This is too large to send.', remedy: 'Shorten what you entered.' },
  'too-many-requests': {
    title: 'Too many attempts in a short time.',
    remedy: 'Wait a moment, then try again.',
  },
  'storage-unavailable': {
    title: 'The database of the console does not answer.',
    remedy: 'Nothing was changed. The console finds it again by itself; ask whoever runs the database.',
  },
  'no-leader': {
    title: 'No console leads the group at the moment.',
    remedy: 'Another one takes over within seconds, or as soon as Redis answers; this page tries again by itself.',
  },
  'leader-timeout': {
    title: 'The console that leads did not answer in time.',
    remedy: 'What you asked for may have been done: look before you repeat it.',
  },
  'ledger-unavailable': {
    title: 'The ledger of credits does not answer.',
    remedy: 'Agents get no credits until it does. The console finds it again by itself; ask whoever runs Redis.',
  },
  unavailable: {
    title: 'The console is not ready.',
    remedy: 'It may be starting; wait a moment.',
  },
  internal: {
    title: 'Something went wrong inside the console.',
    remedy: 'Try again. If it stays, look for this moment in the log of the console.',
  },
};

/** Words for anything that a call can throw. */
export function wordsFor(error: unknown): ErrorWords {
  if (error instanceof ApiError) {
    const words = ERROR_WORDS[error.code];
    if (error.changed !== null) return { ...words, title: `${error.changed.changedBy} changed this meanwhile.` };
    if (error.code !== 'too-many-requests' || error.retryAfterMs === null) return words;
    return {
      title: words.title,
      remedy: `Try again in ${Math.max(1, Math.ceil(error.retryAfterMs / 1_000))} seconds.`,
    };
  }
  if (error instanceof NetworkError) return networkWords(error);
  return { title: 'This page ran into an error of its own.', remedy: 'Reload it.' };
}

function networkWords(error: NetworkError): ErrorWords {
  switch (error.reason) {
    case 'unreachable':
      return { title: 'The console does not answer.', remedy: 'Check that it runs and that this computer reaches it.' };
    case 'timeout':
      return { title: 'The console did not answer in time.', remedy: 'It may be busy or the network slow; try again.' };
    case 'redirected':
      return {
        title: 'The address leads somewhere else.',
        remedy: 'Open the console by its full address, with https://.',
      };
    case 'bad-answer':
      return {
        title: 'The answer did not come from a console of this version.',
        remedy: 'Reload the page. If it stays, a proxy in between may be answering.',
      };
    default:
      return error.reason satisfies never;
  }
}

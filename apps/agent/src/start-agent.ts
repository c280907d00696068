import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createClient, type Fetch } from '@weir/client';
import type { OperationGate } from '@weir/s3-copy';
import type { Logger } from 'pino';
import { Agent } from './agent.ts';
import { parseAgentOptions, type AgentOptions } from './config/agent-options.ts';
import {
  enrol,
  EnrolmentError,
  storedCredentials,
  type EnrolmentOptions,
  type KnownAgent,
} from './credential/enrol.ts';
import { createAgentLog } from './log.ts';
import { S3Engine } from './s3/s3-engine.ts';
import type { CopyEngine } from './shards/copy-engine.ts';
import { realTiming, type Timing } from './timing.ts';

/** What a caller may replace. */
export interface AgentDependencies {
  /** Default: JSON lines on standard error, level `info`. */
  logger?: Logger;
  /** How the console is reached. Default: the global `fetch`. */
  fetch?: Fetch;
  timing?: Timing;
  /** Default: copies with `@weir/s3-copy`. */
  makeEngine?: (gate: OperationGate) => CopyEngine;
  /** Gives up waiting for a console that does not answer yet. */
  signal?: AbortSignal;
}

/**
 * Starts an agent: checks the options, enrols or takes the stored credential, and sends the first heartbeat. Resolves when
 * the console has answered it; while no console answers, it keeps trying. A stored credential that the console refuses is
 * replaced when there is an enrolment token, so revoking keeps a machine out for good only together with a new token.
 * @throws AgentOptionsError with every problem; EnrolmentError when the console does not let it in; CredentialFileError;
 *   the reason of `signal`
 */
export async function startAgent(options: AgentOptions, dependencies: AgentDependencies = {}): Promise<Agent> {
  const config = parseAgentOptions(options);
  const log = dependencies.logger ?? createAgentLog();
  const timing = dependencies.timing ?? realTiming;
  const fetch: Fetch = dependencies.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const signal = dependencies.signal ?? new AbortController().signal;
  const enrolment: EnrolmentOptions = {
    host: hostname().slice(0, 255),
    fetch,
    timing,
    signal,
    onRetry: (error, inMs) => {
      const message = error instanceof Error ? error.message : String(error);
      log.warn({ error: message, retryInMs: Math.round(inMs) }, 'waiting for the console');
    },
  };
  const makeEngine =
    dependencies.makeEngine ?? ((gate) => new S3Engine({ gate, concurrency: config.concurrency, timing }));
  const begin = async (known: KnownAgent): Promise<Agent> => {
    const { agentId, credential, enrolledNow, file } = known;
    const told = { agentId, name: config.name, consoles: config.consoleUrls };
    log.info(told, enrolledNow ? 'enrolled at the console' : 'known to the console');
    const agent = new Agent({
      config,
      identity: { agentId, host: enrolment.host, bootId: randomUUID() },
      client: createClient({
        baseUrl: config.consoleUrls,
        token: credential,
        fetch,
        onAddress: (console) => log.info({ console }, 'this console answers'),
      }),
      makeEngine,
      log,
      timing,
    });
    await connect(agent, file, signal);
    return agent;
  };
  let refusal: EnrolmentError | null = null;
  for (const known of await storedCredentials(config)) {
    try {
      return await begin(known);
    } catch (error) {
      if (!(error instanceof EnrolmentError) || !CREDENTIAL_REFUSED.has(error.code)) throw error;
      log.warn({ agentId: known.agentId, error: error.message }, 'the stored credential is refused');
      refusal ??= error;
    }
  }
  // It was revoked, or the console was set up anew; whoever has the token may come in all the same.
  if (refusal !== null && config.enrolmentToken === null) throw refusal;
  return begin(await enrol(config, enrolment));
}

/** Codes for a stored credential that a console does not take, where another one may do. */
const CREDENTIAL_REFUSED: ReadonlySet<EnrolmentError['code']> = new Set(['wrong-credentials', 'agent-revoked']);

async function connect(agent: Agent, credentialFile: string, signal: AbortSignal): Promise<void> {
  const stop = (): void => void agent.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await agent.start();
  } catch (error) {
    signal.throwIfAborted();
    const end = await agent.done;
    const revoked = end.reason === 'refused' && end.revoked;
    const why = end.reason === 'refused' ? end.error.message : String(error);
    const when = revoked ? 'To let it work again' : 'If the console was set up anew';
    throw new EnrolmentError(
      revoked ? 'agent-revoked' : 'wrong-credentials',
      `${why.replace(/\.$/, '')}. ${when}, start the agent with the enrolment token that the Agents page shows: it then replaces ${credentialFile}`,
      error,
    );
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

import { ApiError, createClient, NetworkError, type Fetch } from '@weir/client';
import { PROTOCOL_VERSION } from '@weir/protocol';
import type { AgentConfig } from '../config/agent-options.ts';
import { untilAnswered } from '../console/unanswered.ts';
import type { Timing } from '../timing.ts';
import { CredentialFile, type StoredCredential } from './credential-file.ts';

/** The agent cannot become known to the console; says what to do about it. */
export class EnrolmentError extends Error {
  override readonly name = 'EnrolmentError';
  /** `token-missing` and `redirected` are ours; the others come from the console. */
  readonly code: 'token-missing' | 'redirected' | ApiError['code'];

  constructor(code: EnrolmentError['code'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

export interface EnrolmentOptions {
  host: string;
  fetch: Fetch;
  timing: Timing;
  signal: AbortSignal;
  onRetry: (error: unknown, inMs: number) => void;
}

/**
 * The credentials that this agent has for any of its consoles, in their order. Consoles of one group know the same agents, so
 * whichever issued it, it is good for all of them; of several, the first that is not refused is the right one.
 * @throws CredentialFileError
 */
export async function storedCredentials(config: AgentConfig): Promise<KnownAgent[]> {
  const known: KnownAgent[] = [];
  for (const consoleUrl of config.consoleUrls) {
    const file = new CredentialFile(config.stateDir, consoleUrl, config.name);
    const stored = await file.read();
    if (stored !== null) known.push({ ...stored, file: file.path, enrolledNow: false });
  }
  return known;
}

/** A credential with where it is kept and whether it is new. */
export interface KnownAgent extends StoredCredential {
  file: string;
  enrolledNow: boolean;
}

/**
 * A new credential for the enrolment token, kept under the address of the console that issued it. It takes the place of a
 * stored one, which the console refuses. Waits for a console that does not answer yet.
 * @throws EnrolmentError, CredentialFileError, the reason of `signal`
 */
export async function enrol(config: AgentConfig, options: EnrolmentOptions): Promise<KnownAgent> {
  const [first = ''] = config.consoleUrls;
  let consoleUrl = first;
  const fileOf = (url: string): CredentialFile => new CredentialFile(config.stateDir, url, config.name);
  if (config.enrolmentToken === null) {
    throw new EnrolmentError(
      'token-missing',
      `the agent "${config.name}" is not enrolled at ${config.consoleUrls.join(', ')} yet (there is no ${fileOf(first).path}): ` +
        'start it once with the enrolment token that the Agents page shows',
    );
  }
  await fileOf(first).prepare();
  const client = createClient({
    baseUrl: config.consoleUrls,
    token: config.enrolmentToken,
    fetch: options.fetch,
    onAddress: (url) => (consoleUrl = url),
  });
  const body = { name: config.name, host: options.host, version: config.version, protocolVersion: PROTOCOL_VERSION };
  try {
    const enrolled = await untilAnswered(async () => {
      try {
        return await client.call('enrol', { body, signal: options.signal });
      } catch (error) {
        // Not a console that is away but an address that is wrong: waiting cannot help.
        if (error instanceof NetworkError && error.reason === 'redirected') {
          throw new EnrolmentError('redirected', `${error.message}: use that address`, error);
        }
        throw error;
      }
    }, options);
    const { agentId, credential } = enrolled;
    const file = fileOf(consoleUrl);
    await file.write(agentId, credential);
    return { consoleUrl, name: config.name, agentId, credential, file: file.path, enrolledNow: true };
  } catch (error) {
    throw error instanceof ApiError ? explain(config, error) : error;
  }
}

function explain(config: AgentConfig, error: ApiError): EnrolmentError {
  const { name } = config;
  const consoleUrl = config.consoleUrls.join(', ');
  const explained: Partial<Record<ApiError['code'], string>> = {
    'wrong-enrolment-token': `the console at ${consoleUrl} does not accept the enrolment token: copy the current one from its Agents page`,
    'name-taken': `another agent called "${name}" is online at ${consoleUrl}: choose another name, or stop that agent and wait until it is offline`,
    'too-many-agents': `the console at ${consoleUrl} has as many agents as it may have: revoke agents that are gone, or raise its --max-agents`,
    'protocol-too-old': `the console at ${consoleUrl} needs a newer agent than version ${config.version}`,
    'protocol-too-new': `the console at ${consoleUrl} is older than this agent of version ${config.version} can speak to: upgrade the console first`,
  };
  const message = explained[error.code] ?? `the console at ${consoleUrl} refuses to enrol this agent: ${error.message}`;
  return new EnrolmentError(error.code, message, error);
}

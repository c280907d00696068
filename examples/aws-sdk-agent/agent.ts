import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { createClient } from '@weir/client';
import { AgentGovernor, heartbeatsOver, type GovernorEvent } from '@weir/governor-client';
import type { TransferMeter } from '@weir/governor-client/aws-sdk';
import { PROTOCOL_VERSION } from '@weir/protocol';

const VERSION = '1.0.0';

export interface AgentOptions {
  consoleUrl: string;
  /** As the console's pages show it. */
  name: string;
  /** Needed until there is a credential. */
  enrolmentToken: string | undefined;
  /** Where the agent's own credential is kept from its first start on. */
  credentialFile: string;
  transfer: TransferMeter;
  /** Whether there is work; whoever changes that calls `workChanged` of the governor. */
  working: () => boolean;
  onEvent: (event: GovernorEvent) => void;
}

/**
 * Makes this program an agent of a console. Only who has work gets a share.
 * @throws GovernorStoppedError when the console refuses it
 */
export async function startGovernor(options: AgentOptions): Promise<AgentGovernor> {
  const token = (await storedCredential(options.credentialFile)) ?? (await enrol(options));
  const governor = new AgentGovernor({
    transport: heartbeatsOver(createClient({ baseUrl: options.consoleUrl, token })),
    identity: { version: VERSION, host: hostname(), bootId: randomUUID() },
    runningJobs: () => (options.working() ? 1 : 0),
    takeTransferredBytes: () => options.transfer.take(),
    onEvent: options.onEvent,
  });
  governor.start();
  await governor.ready;
  return governor;
}

async function storedCredential(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function enrol({ consoleUrl, name, enrolmentToken, credentialFile }: AgentOptions): Promise<string> {
  if (enrolmentToken === undefined) throw new Error('WEIR_TOKEN is needed once: copy it from the Agents page');
  const client = createClient({ baseUrl: consoleUrl, token: enrolmentToken });
  const body = { name, host: hostname(), version: VERSION, protocolVersion: PROTOCOL_VERSION };
  const { credential } = await client.call('enrol', { body });
  await writeFile(credentialFile, credential, { mode: 0o600 });
  return credential;
}

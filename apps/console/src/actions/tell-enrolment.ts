import { type EnrolmentInfo, MAX_CONSOLE_ADDRESSES } from '@weir/protocol';
import type { HeardConsole, Roster } from '../ports/roster.ts';
import type { ConsoleContext } from './context.ts';

/** Where agents can reach consoles. */
export interface Reachable {
  /** Address of this console, or the one that agents are told to use. */
  readonly url: string;
  /** The group that it leads; undefined: it is alone. */
  readonly roster?: Roster | undefined;
}

/** What an operator copies to enrol an agent: one command that names every console it can ask. */
export async function tellEnrolment(
  { enrolmentToken: token, publicUrl }: Pick<ConsoleContext, 'enrolmentToken' | 'publicUrl'>,
  { url, roster }: Reachable,
): Promise<EnrolmentInfo> {
  // An address that agents are told to use leads to all consoles, as that of a load balancer does.
  const consoleUrls = publicUrl === null && roster !== undefined ? addressesOf(roster, await roster.look()) : [url];
  // In the environment: a command line can be read by every user of the machine.
  const command = `WEIR_TOKEN=${token} weir agent --console ${consoleUrls.join(',')}`;
  return { token, command, consoleUrls };
}

/** Others than consoles can write to Redis, and this is pasted into a shell. */
const PLAIN_ADDRESS = /^https?:\/\/[\w.:[\]-]+$/;

/**
 * That of the leader, of those that are there, and of those that are missing: they may be back before they are forgotten. Not of
 * those that have another database or other secrets, which answer agents of the group with nothing.
 */
function addressesOf({ self }: Roster, { consoles }: { consoles: readonly HeardConsole[] }): string[] {
  const own = consoles.filter(({ differs }) => differs === null || differs === 'version');
  const others = own.toSorted((a, b) => a.silentMs - b.silentMs).map(({ url }) => url);
  const addresses = new Set([self.url, ...others.filter((address) => PLAIN_ADDRESS.test(address))]);
  return [...addresses].slice(0, MAX_CONSOLE_ADDRESSES);
}

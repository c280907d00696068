import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/** @throws ConsoleError protocol-too-old when the agent speaks a version of the wire that is no longer understood */
export function requireProtocolVersion(context: Pick<ConsoleContext, 'limits'>, version: number): void {
  const oldest = context.limits.oldestProtocolVersion;
  if (version >= oldest) return;
  throw new ConsoleError(
    'protocol-too-old',
    `This console needs agents of protocol version ${oldest} or newer: upgrade the agent.`,
    {
      fields: [{ field: 'protocolVersion', value: String(version), problem: `must be at least ${oldest}` }],
    },
  );
}

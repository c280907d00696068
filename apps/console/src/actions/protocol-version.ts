import { PROTOCOL_VERSION, type FieldProblem } from '@weir/protocol';
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

/** The version that a body says it speaks, when that is newer than this console's; else null. */
export function newerThanThis(body: unknown): number | null {
  if (typeof body !== 'object' || body === null || !('protocolVersion' in body)) return null;
  const { protocolVersion: version } = body;
  return typeof version === 'number' && Number.isSafeInteger(version) && version > PROTOCOL_VERSION ? version : null;
}

/** The refusal of a message that a newer agent wrote in words that this console does not know. */
export function protocolTooNew(version: number, unknown: readonly FieldProblem[]): ConsoleError {
  const message = `This console speaks protocol version ${PROTOCOL_VERSION}, and the agent wrote in version ${version}: upgrade the console first.`;
  const field = { field: 'protocolVersion', value: String(version), problem: `must be at most ${PROTOCOL_VERSION}` };
  return new ConsoleError('protocol-too-new', message, { fields: [field, ...unknown] });
}

/** What middleware can see of a command, read out of objects whose shape belongs to the SDK: anything may be missing. */

export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Such as `PutObjectCommand`; empty when the SDK does not say. */
export function commandNameOf(context: object): string {
  const name = member(context, 'commandName');
  return typeof name === 'string' ? name : '';
}

/** The `abortSignal` that the command was sent with, from SDK versions that tell middleware of it (3.1175 does). */
export function signalOf(context: object): AbortSignal | undefined {
  const signal = member(member(context, '__smithy_context'), 'abortSignal');
  return isSignal(signal) ? signal : undefined;
}

/** The SDK also takes signals of an older kind, which cannot tell several listeners. */
function isSignal(value: unknown): value is AbortSignal {
  return (
    typeof member(value, 'aborted') === 'boolean' &&
    typeof member(value, 'addEventListener') === 'function' &&
    typeof member(value, 'removeEventListener') === 'function'
  );
}

/** A header of the request that is about to be sent, or of its answer; names are lower case in the SDK. */
export function headerOf(message: unknown, name: string): string | undefined {
  const value = member(member(message, 'headers'), name);
  return typeof value === 'string' ? value : undefined;
}

/** HTTP status and S3 code of what a command failed with. */
export function failureOf(error: unknown): { status: number | null; code: string | null } {
  const status = member(member(error, '$metadata'), 'httpStatusCode');
  const code = member(error, 'name');
  return { status: typeof status === 'number' ? status : null, code: typeof code === 'string' ? code : null };
}

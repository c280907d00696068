import type { EarlierChange, ErrorCode, FieldProblem } from '@weir/protocol';

/** What an action refuses, and why: one of the codes of the wire, each with a heading in docs/error-codes.md. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';
  readonly code: ErrorCode;
  /** Fields of the input that the refusal is about. */
  readonly fields: FieldProblem[] | undefined;
  /** When to try again, in ms. */
  readonly retryAfterMs: number | undefined;
  /** The change that somebody else made first. */
  readonly changed: EarlierChange | undefined;

  /** @param message one sentence that says what is wrong and what to do; never holds a secret */
  constructor(
    code: ErrorCode,
    message: string,
    details: { fields?: FieldProblem[]; retryAfterMs?: number; changed?: EarlierChange; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
    this.code = code;
    this.fields = details.fields;
    this.retryAfterMs = details.retryAfterMs;
    this.changed = details.changed;
  }
}

/** Whether something thrown is a refusal with a code. */
export function isConsoleError(error: unknown): error is ConsoleError {
  return error instanceof ConsoleError;
}

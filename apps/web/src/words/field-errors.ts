import { ApiError } from '@weir/client';
import type { ErrorCode } from '@weir/protocol';
import { ERROR_WORDS } from './error-words.ts';

/** Errors by path of the field, `source.bucket`; a field without one is fine. */
export type FieldErrors = Readonly<Record<string, string>>;

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** `must not be empty` → `Must not be empty.` */
function sentence(problem: string): string {
  const text = problem.charAt(0).toUpperCase() + problem.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** First problem of each field that a schema found. */
export function schemaErrors(issues: readonly Issue[]): FieldErrors {
  const errors: Record<string, string> = {};
  for (const { path, message } of issues) errors[path.map(String).join('.')] ??= sentence(message);
  return errors;
}

/** What the S3 server or the network said, which the console puts behind a colon. */
function reason(code: ErrorCode, problem: string): string {
  // Of a chain of causes only the last says what happened; a server's refusal is a code and its explanation.
  const colon =
    code === 'endpoint-unreachable'
      ? problem.lastIndexOf(': ')
      : code === 'endpoint-refused-credentials'
        ? problem.indexOf(': ')
        : -1;
  return colon > 0 ? ` (${problem.slice(colon + 2)})` : '';
}

/**
 * Problems that a refused call names, by field. Codes that speak of one field put their words there even when the
 * console names none.
 * @param fieldOfCode which field of this form a code speaks of
 */
export function refusedFields(error: unknown, fieldOfCode: Partial<Record<ErrorCode, string>> = {}): FieldErrors {
  if (!(error instanceof ApiError)) return {};
  const errors: Record<string, string> = {};
  const { title, remedy } = ERROR_WORDS[error.code];
  const generic = error.code === 'validation-failed' || error.code === 'bad-request';
  for (const { field, problem } of error.fields) {
    if (field !== '')
      errors[field] ??= generic ? sentence(problem) : `${title} ${remedy}${reason(error.code, problem)}`;
  }
  const field = fieldOfCode[error.code];
  if (field !== undefined && Object.keys(errors).length === 0) errors[field] = `${title} ${remedy}`;
  return errors;
}

/**
 * How every command ends.
 *
 * `findings` (1): the command ran and its answer is "no" (not equal, failed objects, findings).
 * `cannotRun` (2): wrong usage, or something it needs is missing.
 * `revoked` (77, as EX_NOPERM of sysexits.h): an agent that somebody took the credential from; starting it again cannot help.
 * `interrupted` (130): somebody ended it before it was done, and it cleaned up.
 */
export const EXIT_CODES = { ok: 0, findings: 1, cannotRun: 2, revoked: 77, interrupted: 130 } as const;

/** A failure whose message is for the person at the terminal: what is wrong, and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: string;
  readonly remedy: string | undefined;
  readonly exitCode: number;

  constructor(code: string, message: string, options: { remedy?: string; exitCode?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.remedy = options.remedy;
    this.exitCode = options.exitCode ?? EXIT_CODES.cannotRun;
  }
}

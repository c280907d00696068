/** A backup that cannot be made or restored; the message says why and what to do. What was there before is untouched. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

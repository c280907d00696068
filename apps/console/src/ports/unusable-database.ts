/** The data directory cannot be used; the message says why and what to do. Nothing in it was changed. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

/** Makes and checks password hashes. */
export interface PasswordHasher {
  /** Calls that wait for their turn: hashing is slow on purpose. */
  readonly waiting: number;
  /** Hash with its own salt and parameters. */
  hash(password: string): Promise<string>;
  /** Whether the password has this hash; null (no such account) takes as long as a real one and is always false. */
  verify(password: string, hash: string | null): Promise<boolean>;
}

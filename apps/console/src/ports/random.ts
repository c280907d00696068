/** Source of identifiers and secrets. */
export interface Random {
  /** New identifier `<prefix>_<20 hex digits>`: 80 random bits. */
  id(prefix: string): string;
  /** New secret: 256 random bits, base64url, 43 characters. */
  secret(): string;
}

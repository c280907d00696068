/** Encrypts secrets for storage. `boundTo` names the row and field that the secret belongs to. */
export interface SecretBox {
  /** Encrypted text that can only be opened with the same `boundTo`. */
  seal(plain: string, boundTo: string): string;
  /** The secret again. @throws Error when the key is another one, the text was changed, or it was moved to another row. */
  open(sealed: string, boundTo: string): string;
}

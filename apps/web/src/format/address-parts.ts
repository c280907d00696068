/**
 * Parts of a network address between which it may go on in the next line, in order: `https://`, `s3`, `.fra`, `.example`, `:9021`.
 * Joined they are the address again.
 */
export function addressParts(address: string): string[] {
  return address.match(/^[a-z][a-z\d+.-]*:\/\/|[.:/@?&]?[^.:/@?&]+|[.:/@?&]/gi) ?? [];
}

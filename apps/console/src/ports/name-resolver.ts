/** Turns host names into addresses. */
export interface NameResolver {
  /** All IPv4 and IPv6 addresses of a name; empty when it has none or cannot be resolved. */
  addressesOf(host: string): Promise<string[]>;
}

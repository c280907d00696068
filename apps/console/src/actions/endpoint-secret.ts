/** What the secret of an endpoint is bound to when it is sealed. */
export function secretOf(endpointId: string): string {
  return `endpoint:${endpointId}:secret-access-key`;
}

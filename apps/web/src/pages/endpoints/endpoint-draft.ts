import { endpointInput, type EndpointInput } from '@weir/protocol';
import { schemaErrors, type FieldErrors } from '../../words/field-errors.ts';

/** What the form for a new endpoint starts with. */
export const EMPTY_ENDPOINT: EndpointInput = {
  name: '',
  url: '',
  region: 'us-east-1',
  pathStyle: true,
  accessKeyId: '',
  secretAccessKey: '',
};

/** Checks a form before anything is sent; spaces around values come from copying and are dropped. */
export function checkEndpoint(
  draft: EndpointInput,
): { ok: true; input: EndpointInput } | { ok: false; errors: FieldErrors } {
  const trimmed: EndpointInput = {
    ...draft,
    name: draft.name.trim(),
    url: draft.url.trim(),
    region: draft.region.trim(),
    accessKeyId: draft.accessKeyId.trim(),
    secretAccessKey: draft.secretAccessKey.trim(),
  };
  const missing: Record<string, string> = {};
  if (trimmed.name === '') missing['name'] = 'Give the endpoint a name.';
  if (trimmed.url === '') missing['url'] = 'Enter the address of the S3 server.';
  if (trimmed.region === '') missing['region'] = 'Enter a region; us-east-1 suits most S3-compatible servers.';
  if (trimmed.accessKeyId === '') missing['accessKeyId'] = 'Enter the access key.';
  if (trimmed.secretAccessKey === '') missing['secretAccessKey'] = 'Enter the secret key.';
  const parsed = endpointInput.safeParse(trimmed);
  if (parsed.success) return { ok: true, input: parsed.data };
  return { ok: false, errors: { ...schemaErrors(parsed.error.issues), ...missing } };
}

import type { ManifestBody, ManifestKey } from '@weir/protocol';

/** Signs manifests with the console's own key. */
export interface ManifestSigner {
  readonly key: ManifestKey;
  /** Base64 of the signature over the body in canonical JSON. */
  sign(manifest: ManifestBody): string;
}

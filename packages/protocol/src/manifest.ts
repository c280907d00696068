import { z } from 'zod';
import { count, id, timestampMs } from './identifiers.ts';
import { jobOptions } from './job-options.ts';
import { copyCounters, copyMode, jobState, manifestChain } from './jobs.ts';

const place = z.object({
  endpointName: z.string(),
  url: z.string().nullable(),
  bucket: z.string(),
  prefix: z.string(),
});

/** One key range or list of keys of a job, with the chain digest over its objects in order. */
export const manifestShard = z.object({
  position: count,
  work: z.discriminatedUnion('type', [
    z.object({ type: z.literal('range'), startAfter: z.string().nullable(), endAt: z.string().nullable() }),
    z.object({ type: z.literal('keys'), keyCount: count }),
  ]),
  counters: copyCounters,
  /** null: its agent keeps no chain. */
  chain: manifestChain.nullable(),
});

/** What was copied by a job, as the console vouches for it. */
export const manifestBody = z.object({
  format: z.literal('weir-manifest/1'),
  jobId: id,
  name: z.string(),
  state: jobState,
  mode: copyMode,
  options: jobOptions,
  source: place,
  target: place,
  createdBy: z.string(),
  createdAtMs: timestampMs,
  startedAtMs: timestampMs.nullable(),
  finishedAtMs: timestampMs.nullable(),
  counters: copyCounters,
  failuresListed: count,
  shards: z.array(manifestShard),
  /** SHA-256 over the chains of all shards, in order. */
  digest: z.string(),
});
export type ManifestBody = z.infer<typeof manifestBody>;

/** Public half of the key that signs manifests. */
export const manifestKey = z.object({
  algorithm: z.literal('Ed25519'),
  /** First 16 hex digits of the SHA-256 of the key, to tell keys apart. */
  keyId: z.string(),
  /** SubjectPublicKeyInfo in PEM. */
  publicKey: z.string(),
});
export type ManifestKey = z.infer<typeof manifestKey>;

/** A manifest with its signature: base64 of Ed25519 over the body in canonical JSON (keys sorted, no spaces, UTF-8). */
export const signedManifest = z.object({ manifest: manifestBody, key: manifestKey, signature: z.string() });
export type SignedManifest = z.infer<typeof signedManifest>;

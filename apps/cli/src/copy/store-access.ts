import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  callContext,
  createBucket,
  ProbeError,
  probeBucket,
  S3Client,
  S3Error,
  type ProbeErrorKind,
} from '@weir/s3-copy';
import { CommandError } from '../output/command-error.ts';
import { awsProfile, type AwsProfile } from './aws-profile.ts';
import type { SideName, SideSettings } from './sides.ts';

/** Profiles of the AWS command line on this machine; their files are read when the first is asked for. */
export function profileReader(environment: NodeJS.ProcessEnv): (name: string) => AwsProfile | null {
  const textOf = (variable: string, name: string): string => {
    const file = environment[variable] ?? join(environment['HOME'] ?? homedir(), '.aws', name);
    try {
      return readFileSync(file, 'utf8');
    } catch {
      // Whoever has no such file has no profiles; a profile that was asked for by name is then missed by name.
      return '';
    }
  };
  let texts: { credentials: string; config: string } | null = null;
  return (name) => {
    texts ??= {
      credentials: textOf('AWS_SHARED_CREDENTIALS_FILE', 'credentials'),
      config: textOf('AWS_CONFIG_FILE', 'config'),
    };
    return awsProfile(name, texts);
  };
}

const REMEDIES: Readonly<Record<ProbeErrorKind, (side: SideName) => string>> = {
  unreachable: (side) => `Check --${side}-url, and that the store answers from this machine.`,
  tls: () =>
    'Name the authority that signed its certificate in NODE_EXTRA_CA_CERTS, or use http:// if it speaks no TLS.',
  'not-s3': (side) => `Check --${side}-url: address and port of the S3 service itself, not of its web pages.`,
  'wrong-credentials': (side) => `Check the access key, the secret key and the region of the ${side}.`,
  'access-denied': (side) => `Give the access key of the ${side} the right to use this bucket.`,
  'no-such-bucket': (side) =>
    side === 'target' ? 'Create the bucket first, or let --create-bucket do it.' : 'Check the name of the bucket.',
  'server-error': () => 'Look at the log of the store.',
};

/** @throws CommandError when the bucket cannot be used; the message says why, the remedy what to do */
export async function requireBucket(
  side: SideName,
  settings: SideSettings,
  bucket: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await probeBucket(settings, bucket, signal);
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    throw new CommandError(error.kind, `${side}: ${error.message}`, {
      remedy: REMEDIES[error.kind](side),
      cause: error,
    });
  }
}

/** Makes a bucket, unless it is there. @throws CommandError when the store refuses */
export async function makeBucket(settings: SideSettings, bucket: string, signal: AbortSignal): Promise<void> {
  const client = new S3Client(settings);
  try {
    await createBucket(client, bucket, callContext({ signal }));
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    throw new CommandError('bucket-not-created', `the bucket ${bucket} could not be created: ${error.message}`, {
      cause: error,
    });
  } finally {
    await client.close();
  }
}

import { bucketName } from '@weir/protocol';
import { CommandError } from '../output/command-error.ts';

/** A bucket, or the part of it whose keys begin with `prefix`. */
export interface Place {
  readonly bucket: string;
  /** Empty for the whole bucket; byte for byte what the keys begin with. */
  readonly prefix: string;
}

/**
 * Reads `s3://bucket/prefix`. No URL parser: the prefix is taken as it stands, with `//`, `..`, `%`, `?` and `#`.
 * @throws CommandError when there is no bucket in it, or no name that a bucket can have
 */
export function parsePlace(text: string): Place {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/([\s\S]*))?$/i.exec(text) ?? [];
  if (bucket !== undefined && !bucketName.safeParse(bucket).success) {
    throw new CommandError('place-invalid', `${JSON.stringify(text)}: ${JSON.stringify(bucket)} cannot be a bucket`, {
      remedy:
        'The name of a bucket has 2 to 255 characters: letters, digits, dots, - and _, and begins with a letter or digit.',
    });
  }
  if (bucket === undefined) {
    throw new CommandError('place-invalid', `${JSON.stringify(text)} is not a place in an S3 store`, {
      remedy: 'Write s3://BUCKET or s3://BUCKET/PREFIX; where the store is goes into --source-url and --target-url.',
    });
  }
  if (!prefix.isWellFormed() || Buffer.byteLength(prefix) > 1_024) {
    throw new CommandError('place-invalid', 'a prefix must be valid Unicode of at most 1,024 bytes');
  }
  return { bucket, prefix };
}

/** `s3://bucket/prefix` */
export function placeName({ bucket, prefix }: Place): string {
  return `s3://${bucket}/${prefix}`;
}

/**
 * What a copy between two places of one store would do to itself: it would list its own copies, and copy them again.
 * Null when it would not.
 */
export function overlapOf(source: Place, target: Place): 'same' | 'inside' | null {
  if (source.bucket !== target.bucket) return null;
  if (source.prefix === target.prefix) return 'same';
  return target.prefix.startsWith(source.prefix) ? 'inside' : null;
}

/**
 * Whether the last folder of the target's prefix would run into the names of the objects: `photos/` to `archive` makes
 * `archivea.jpg`. Legal, but rarely meant.
 */
export function joinsNames(source: Place, target: Place): boolean {
  const wholeNames = source.prefix === '' || source.prefix.endsWith('/');
  return wholeNames && target.prefix !== '' && !target.prefix.endsWith('/');
}

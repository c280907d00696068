import {
  listPages,
  pageFetcher,
  type CallContext,
  type CopySide,
  type KeyRange,
  type ListedObject,
} from '@weir/s3-copy';

/** How much there is to copy. */
export interface Total {
  objects: number;
  bytes: number;
}

/** Lists the source and adds up what would be copied; one request for 1,000 objects, through the gate of `call`. */
export async function countObjects(
  source: CopySide,
  range: KeyRange,
  counts: (object: ListedObject) => boolean,
  call: CallContext,
): Promise<Total> {
  const total: Total = { objects: 0, bytes: 0 };
  const { bucket, prefix, client } = source;
  for await (const page of listPages(pageFetcher(client, call), { bucket, prefix, range })) {
    for (const object of page) {
      if (!counts(object)) continue;
      total.objects += 1;
      total.bytes += object.sizeBytes;
    }
  }
  return total;
}

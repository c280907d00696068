import type { PageFetcher } from '../../src/list.ts';
import { compareUtf8 } from '../../src/utf8-order.ts';

/** A bucket in memory that answers ListObjectsV2 as S3 does. */
export interface MemoryLister {
  fetch: PageFetcher;
  readonly keys: readonly string[];
  requests: number;
}

export function memoryLister(keys: Iterable<string>): MemoryLister {
  const sorted = [...new Set(keys)].sort(compareUtf8);
  const lister: MemoryLister = {
    keys: sorted,
    requests: 0,
    fetch: async (request) => {
      lister.requests++;
      const after = request.continuationToken ?? request.startAfter ?? '';
      let low = 0;
      let high = sorted.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (compareUtf8(sorted[middle]!, after) <= 0) low = middle + 1;
        else high = middle;
      }
      const size = request.maxKeys ?? 1000;
      const found: string[] = [];
      let truncated = false;
      for (let index = low; index < sorted.length; index++) {
        if (!sorted[index]!.startsWith(request.prefix)) {
          if (compareUtf8(sorted[index]!, request.prefix) > 0) break;
          continue;
        }
        if (found.length === size) {
          truncated = true;
          break;
        }
        found.push(sorted[index]!);
      }
      return {
        objects: found.map((key) => ({ key, keyIsExact: true, sizeBytes: 1, etag: '', lastModifiedMs: 0 })),
        truncated,
        nextToken: truncated ? (found.at(-1) ?? null) : null,
      };
    },
  };
  return lister;
}

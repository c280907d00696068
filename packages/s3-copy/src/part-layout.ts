import { absorb } from './absorb.ts';
import type { CopyItem, CopyPlan } from './copy-plan.ts';
import { S3Error } from './errors.ts';
import { isMultipartEtag, partsOfEtag } from './etag.ts';
import type { CallContext } from './gate.ts';
import { headObject, headPart } from './operations/objects.ts';
import type { ObjectFacts, PartFacts } from './operations/objects.ts';
import { MAX_PARTS, planParts, partsOf } from './plan-parts.ts';
import type { PartRange } from './plan-parts.ts';

/** What HEAD said of a source, and of its first part where it was asked for that. */
export interface SourceFacts extends ObjectFacts {
  firstPart?: PartFacts['part'];
}

/** How an object is cut into parts. */
export interface PartLayout {
  ranges: PartRange[];
  /** Cut where its source was cut, as far as can be told before; the ETags then are equal and prove it. */
  kept: boolean;
}

/**
 * Asks for an object that may be copied in parts. Where the listing shows that it was made of parts, the one request asks
 * for the first of them: the answer describes the object all the same.
 */
export async function headSource(plan: CopyPlan, item: CopyItem, call: CallContext): Promise<SourceFacts> {
  const { client, bucket } = plan.source;
  const inParts = item.etag !== null && isMultipartEtag(item.etag);
  const large = item.sizeBytes !== null && item.sizeBytes >= plan.tuning.multipartThresholdBytes;
  if (inParts && large && plan.tuning.keepPartLayout && plan.learned.partNumbers) {
    try {
      const { object, part } = await headPart(client, { bucket, key: item.key, partNumber: 1 }, call);
      if (part === null) plan.learned.partNumbers = false;
      return { ...object, firstPart: part };
    } catch (error) {
      // Swift answers 405 to a question that it does not know.
      if (!(error instanceof S3Error) || !UNKNOWN_QUESTION.has(error.status)) throw error;
      plan.learned.partNumbers = false;
    }
  }
  return headObject(client, bucket, item.key, call);
}

const UNKNOWN_QUESTION = new Set([400, 405, 416, 501]);

/** Cuts an object: as its source is cut, where that can be known or guessed, else in parts of the configured size. */
export async function layoutOf(
  plan: CopyPlan,
  key: string,
  source: SourceFacts & { sizeBytes: number },
  call: CallContext,
): Promise<PartLayout> {
  const { sizeBytes } = source;
  const { partBytes, keepPartLayout } = plan.tuning;
  const count = partsOfEtag(source.etag);
  if (count !== null && keepPartLayout && count <= Math.min(MAX_PARTS, sizeBytes)) {
    const first = source.firstPart ?? null;
    if (first !== null && first.partsCount === count) {
      const even = Math.ceil(sizeBytes / first.sizeBytes) === count;
      const ranges = even ? partsOf(sizeBytes, first.sizeBytes) : await askForParts(plan, key, source, count, call);
      if (ranges !== null) return { ranges, kept: true };
    }
    const guess = guessPartBytes(sizeBytes, count, partBytes);
    if (guess !== null) return { ranges: partsOf(sizeBytes, guess), kept: true };
  }
  return { ranges: planParts(sizeBytes, partBytes), kept: false };
}

const MIB = 1024 * 1024;
/** Sizes that programs cut objects into unless they are told otherwise, the most common first. */
const USUAL_PART_BYTES = [8, 5, 16, 15, 10, 64, 50, 32, 100, 128, 25, 20, 256, 512, 1024].map((size) => size * MIB);

/**
 * The size of equal parts that makes so many of them; null when no usual one does. Of those that do, the finished ETag
 * tells whether the guess was right.
 */
export function guessPartBytes(sizeBytes: number, count: number, ownBytes: number): number | null {
  if (count === 1) return sizeBytes;
  return [ownBytes, ...USUAL_PART_BYTES].find((size) => Math.ceil(sizeBytes / size) === count) ?? null;
}

/** Parts of uneven size, one request each. Null when the server does not tell all of them, or not all of the object. */
async function askForParts(
  plan: CopyPlan,
  key: string,
  source: SourceFacts & { sizeBytes: number },
  count: number,
  call: CallContext,
): Promise<PartRange[] | null> {
  const { client, bucket } = plan.source;
  const sizes: (number | null)[] = [source.firstPart?.sizeBytes ?? null];
  let next = 2;
  const work = async (): Promise<void> => {
    for (let partNumber = next++; partNumber <= count; partNumber = next++) {
      const { part } = await absorb(call, () => headPart(client, { bucket, key, partNumber }, call));
      sizes[partNumber - 1] = part?.sizeBytes ?? null;
    }
  };
  await Promise.all(Array.from({ length: plan.tuning.partConcurrency }, work));
  const ranges: PartRange[] = [];
  let first = 0;
  for (const [index, size] of sizes.entries()) {
    if (size === null || size < 1) return null;
    ranges.push({ partNumber: index + 1, first, last: first + size - 1 });
    first += size;
  }
  return first === source.sizeBytes ? ranges : null;
}

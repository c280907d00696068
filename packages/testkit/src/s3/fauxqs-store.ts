import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { buildApp } from 'fauxqs';
import { compareUtf8 } from './utf8-order.ts';

type Stores = NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>;
/** fauxqs keeps its store class to itself; its type can be read off the options that take one. */
export type FauxqsStore = Stores['s3Store'];
type StoredObject = ReturnType<FauxqsStore['getObject']>;
type Listing = ReturnType<FauxqsStore['listObjects']>;
type ListOptions = Parameters<FauxqsStore['listObjects']>[1];

/** The parts of an unfinished upload, as fauxqs holds them. */
export interface OpenUpload {
  uploadId: string;
  bucket: string;
  key: string;
  initiated: Date;
  parts: Map<number, { partNumber: number; body: Buffer; etag: string; lastModified: Date }>;
}

/** What the store declares private and the corrected listings have to read. */
interface StoreInternals {
  buckets: Map<string, Map<string, StoredObject>>;
  multipartUploads: Map<string, OpenUpload>;
}

interface SortedKeys {
  objects: Map<string, StoredObject>;
  size: number;
  keys: string[];
}

/**
 * A fauxqs store whose listings are in UTF-8 byte order, as S3 promises. Out of the box keys are sorted by locale but
 * compared by code unit, so a listing of more than one page repeats some keys and loses others. The sorted keys of a
 * bucket are kept until an object is added or removed: each page would otherwise sort the whole bucket again.
 */
export async function createFauxqsStore(): Promise<FauxqsStore> {
  const { S3Store } = await loadStoreModule();
  const store = new S3Store();
  const sorted = new Map<string, SortedKeys>();
  const listAsShipped = store.listObjects.bind(store);
  store.listObjects = (bucket, options) => {
    const objects = internals(store).buckets.get(bucket);
    // A bucket that does not exist, and an empty page, are answered right by the original.
    if (objects === undefined || options?.maxKeys === 0) return listAsShipped(bucket, options);
    return listInOrder(objects, sortedKeys(sorted, bucket, objects), options);
  };
  const deleteAsShipped = store.deleteObject.bind(store);
  store.deleteObject = (bucket, key) => {
    sorted.delete(bucket);
    deleteAsShipped(bucket, key);
  };
  return store;
}

/** Uploads of one bucket that were neither completed nor aborted. */
export function openUploads(store: FauxqsStore, bucket: string): OpenUpload[] {
  return [...internals(store).multipartUploads.values()].filter((upload) => upload.bucket === bucket);
}

/** One upload that is neither completed nor aborted. */
export function openUpload(store: FauxqsStore, uploadId: string): OpenUpload | undefined {
  return internals(store).multipartUploads.get(uploadId);
}

function internals(store: FauxqsStore): StoreInternals {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- private in its types, plain maps in version 1.9.2, which is pinned
  return store as unknown as StoreInternals;
}

function sortedKeys(cache: Map<string, SortedKeys>, bucket: string, objects: Map<string, StoredObject>): string[] {
  const cached = cache.get(bucket);
  // Keys are only ever added between two deletions, and a deletion drops the entry: equal size means equal keys.
  if (cached !== undefined && cached.objects === objects && cached.size === objects.size) return cached.keys;
  const keys = [...objects.keys()].sort(compareUtf8);
  cache.set(bucket, { objects, size: objects.size, keys });
  return keys;
}

function firstAfter(keys: readonly string[], bound: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareUtf8(keys[middle] ?? '', bound) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function listInOrder(objects: Map<string, StoredObject>, keys: readonly string[], options: ListOptions): Listing {
  const prefix = options?.prefix ?? '';
  const delimiter = options?.delimiter ?? '';
  const maxKeys = options?.maxKeys ?? 1000;
  const startAfter = options?.startAfter || options?.marker || '';
  const found: StoredObject[] = [];
  const commonPrefixes: string[] = [];
  let isTruncated = false;
  for (let index = startAfter === '' ? 0 : firstAfter(keys, startAfter); index < keys.length; index++) {
    const key = keys[index] ?? '';
    if (!key.startsWith(prefix)) {
      if (compareUtf8(key, prefix) > 0) break;
      continue;
    }
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const group = cut === -1 ? null : key.slice(0, cut + delimiter.length);
    if (group !== null && (group === commonPrefixes.at(-1) || group === startAfter)) continue;
    if (found.length + commonPrefixes.length >= maxKeys) {
      isTruncated = true;
      break;
    }
    const object = objects.get(key);
    if (group !== null) commonPrefixes.push(group);
    else if (object !== undefined) found.push(object);
  }
  return { objects: found, commonPrefixes, isTruncated };
}

async function loadStoreModule(): Promise<{ S3Store: new () => FauxqsStore }> {
  // The class is not among the package's exports, so it is found by its file.
  const folders = createRequire(import.meta.url).resolve.paths('fauxqs') ?? [];
  for (const folder of folders) {
    const file = join(folder, 'fauxqs', 'dist', 's3', 's3Store.js');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the module's only export; the version is pinned
    if (existsSync(file)) return (await import(pathToFileURL(file).href)) as { S3Store: new () => FauxqsStore };
  }
  throw new Error('fauxqs 1.9.2 is not installed: run npm install');
}

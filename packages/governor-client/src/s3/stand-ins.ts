import type { S3Operation } from '@weir/governor';

/*
 * S3 has more operations than a copy needs. One that the cost model does not name is charged like one that it does: what
 * it costs under either model is then the same.
 */

/** A page of any listing of objects: LIST 1. */
export const LISTS_OBJECTS: S3Operation = 'ListObjectsV2';
/** A page of any other listing: free per object, LIST 1 per request. */
export const LISTS_OTHERS: S3Operation = 'ListMultipartUploads';
/** Reads what is not an object: free per object, GET 1 per request. */
export const READS: S3Operation = 'GetObjectTagging';
/** Writes what is not an object (tags, policies, buckets): free per object, PUT 1 per request. */
export const WRITES: S3Operation = 'CreateBucket';
/** Makes an object out of another: PUT 1. */
export const COPIES: S3Operation = 'CopyObject';
/** Removes anything, or many objects by one request: free per object, DELETE 1 per request. */
export const REMOVES: S3Operation = 'DeleteObject';

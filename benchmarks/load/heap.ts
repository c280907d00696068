import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');
if (typeof collect !== 'function') throw new Error('this Node does not let its garbage be collected');
const collector = collect;

/** Bytes on the heap that something holds. */
export function heapBytes(): number {
  collector();
  collector();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

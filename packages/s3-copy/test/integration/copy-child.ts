/** A copy in a process of its own, to be killed: the options come as JSON in the first argument. */
import { copyRange } from '../../src/index.ts';
import { clientFor } from './fixtures.ts';

interface ChildOptions {
  server: Parameters<typeof clientFor>[0];
  bucket: string;
  target: string;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the test beside it
const { server, bucket, target } = JSON.parse(process.argv[2] ?? '') as ChildOptions;
const client = clientFor(server);
await copyRange({
  source: { client, bucket, prefix: '' },
  target: { client, bucket: target, prefix: '' },
  mode: 'copy-all',
  serverSideCopy: 'never',
  tuning: { multipartThresholdBytes: 16 * 1024 * 1024 },
  onThrottled: () => undefined,
}).result;
await client.close();

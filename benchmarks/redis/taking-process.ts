// Takes from a new subject with every take until it is killed: taking-process.ts <url> <contestant> <number> <mark>
import { contestants } from './contestants.ts';
import { PERIOD_SECONDS, UNDER_WAY } from './leftovers.ts';

const [url = '', index = '0', number = '0', mark = ''] = process.argv.slice(2);
const limiter = await contestants[Number(index)]?.open(url, { limit: 1_000_000, periodSeconds: PERIOD_SECONDS, mark });
if (limiter === undefined) throw new Error(`there is no contestant ${index}`);
let next = 0;
const worker = async (): Promise<void> => {
  for (;;) await limiter.take(`tenant-${number}-${(next += 1)}`);
};
await limiter.take(`tenant-${number}-${next}`);
process.stdout.write('taking\n');
await Promise.all(Array.from({ length: UNDER_WAY }, worker));

import { Worker } from 'node:worker_threads';
import { endWithoutThreads, untilAskedToEnd } from '../../src/output/run-until-signal.ts';

// A process with a thread that waits within the kernel, as one does whose disk never answers. Its argument is a pipe that nobody
// writes to.
const [pipe = ''] = process.argv.slice(2);
const stuck = new Worker('require("node:fs").openSync(require("node:worker_threads").workerData)', {
  eval: true,
  workerData: pipe,
});
const asked = untilAskedToEnd({ endWithInput: false, atOnce: endWithoutThreads });
stuck.once('exit', () => process.stderr.write('the thread is not stuck\n'));
process.stdout.write('ready\n');
await asked;
process.stdout.write('asked\n');
await new Promise(() => undefined);

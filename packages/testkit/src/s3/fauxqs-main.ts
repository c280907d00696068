/** One fauxqs server as a process: `fauxqs-main PORT DELAY_MS` prints `{"url":…}` and serves until SIGTERM or the end of its input. */
import { startFauxqs } from './fauxqs.ts';

const server = await startFauxqs({ port: Number(process.argv[2] ?? 0), requestDelayMs: Number(process.argv[3] ?? 0) });
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);

let stopping = false;
const stop = (): void => {
  if (stopping) return;
  stopping = true;
  void server.stop().then(() => process.exit(0));
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
process.stdin.on('end', stop);
process.stdin.resume();

import { hostname } from 'node:os';
import { createInterface } from 'node:readline';
import { governFetch, TransferMeter } from '@weir/governor-client/fetch';
import { startGovernor } from './agent.ts';
import { signed } from './sign.ts';

/*
 * main.ts BUCKET stores each line of standard input as an object.
 *
 * WEIR_URL              the console, default http://127.0.0.1:8180
 * WEIR_TOKEN            enrolment token, needed at the first start
 * WEIR_CREDENTIAL_FILE  where the credential is kept that the token brings, default weir-credential
 * WEIR_NAME             name of this agent, default the host's
 * CONCURRENCY           lines at once, default 32
 * S3_URL                path-style server. AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: its key
 */
const [bucket] = process.argv.slice(2);
const {
  WEIR_URL = 'http://127.0.0.1:8180',
  WEIR_TOKEN,
  WEIR_CREDENTIAL_FILE = 'weir-credential',
  WEIR_NAME = hostname(),
  CONCURRENCY = '32',
  S3_URL,
  AWS_REGION = 'us-east-1',
  AWS_ACCESS_KEY_ID,
  AWS_SECRET_ACCESS_KEY,
} = process.env;
if (bucket === undefined || !S3_URL || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
  console.error('usage: main.ts BUCKET, with S3_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  process.exit(2);
}
const signingKey = { region: AWS_REGION, accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };

const transfer = new TransferMeter();
const governor = await startGovernor({
  consoleUrl: WEIR_URL,
  name: WEIR_NAME,
  enrolmentToken: WEIR_TOKEN,
  credentialFile: WEIR_CREDENTIAL_FILE,
  transfer,
  onEvent: (event) => console.log(JSON.stringify({ atMs: Date.now(), ...event })),
});

const s3fetch = governFetch(fetch, governor, {
  transfer,
  // Signed when it is admitted: while it waits for credits its date would grow old.
  sign: (input, init) => signed(new Request(input, init), signingKey, new Date()),
});

const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());
process.once('SIGTERM', () => interrupt.abort());

/** A program as it was before there was a governor, but for the `fetch` that it uses. */
async function store(key: string, body: string): Promise<void> {
  const init = { method: 'PUT', body, headers: { 'content-type': 'text/plain' }, signal: interrupt.signal };
  const response = await s3fetch(`${S3_URL}/${bucket}/${encodeURIComponent(key)}`, init);
  const answer = await response.text();
  if (!response.ok) throw new Error(`${key}: ${response.status} ${answer}`);
}

try {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  let stored = 0;
  const worker = async (): Promise<void> => {
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      stored += 1;
      await store(`line ${stored}.txt`, line.value);
    }
  };
  await Promise.all(Array.from({ length: Number(CONCURRENCY) }, worker));
  console.log(JSON.stringify({ atMs: Date.now(), type: 'stored', lines: stored }));
} catch (error) {
  console.error(interrupt.signal.aborted ? 'interrupted' : error);
  process.exitCode = 1;
} finally {
  await governor.stop(); // reports the last window and gives the share back
}

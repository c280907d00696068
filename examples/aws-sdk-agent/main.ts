import { hostname } from 'node:os';
import { S3Client } from '@aws-sdk/client-s3';
import { governS3, TransferMeter } from '@weir/governor-client/aws-sdk';
import { startGovernor } from './agent.ts';
import { uploadFolder } from './upload-folder.ts';

/*
 * main.ts FOLDER BUCKET uploads a folder.
 *
 * WEIR_URL              the console, default http://127.0.0.1:8180
 * WEIR_TOKEN            enrolment token, needed at the first start
 * WEIR_CREDENTIAL_FILE  where the credential is kept that the token brings, default weir-credential
 * WEIR_NAME             name of this agent, default the host's
 * CONCURRENCY           files at once, default 32
 * S3_URL                default: Amazon's. Region and credentials: as the SDK finds them (AWS_REGION, AWS_ACCESS_KEY_ID, …)
 */
const [folder, bucket] = process.argv.slice(2);
const {
  WEIR_URL = 'http://127.0.0.1:8180',
  WEIR_TOKEN,
  WEIR_CREDENTIAL_FILE = 'weir-credential',
  WEIR_NAME = hostname(),
  CONCURRENCY = '32',
  S3_URL,
} = process.env;
if (folder === undefined || bucket === undefined) {
  console.error('usage: main.ts FOLDER BUCKET');
  process.exit(2);
}

const transfer = new TransferMeter();
let working = false;
const governor = await startGovernor({
  consoleUrl: WEIR_URL,
  name: WEIR_NAME,
  enrolmentToken: WEIR_TOKEN,
  credentialFile: WEIR_CREDENTIAL_FILE,
  transfer,
  working: () => working,
  onEvent: (event) => console.log(JSON.stringify({ atMs: Date.now(), ...event })),
});

const s3 = new S3Client({
  ...(S3_URL === undefined ? {} : { endpoint: S3_URL, forcePathStyle: true }),
  // Checksums that a server did not ask for are refused or stored by some that are not Amazon's.
  requestChecksumCalculation: 'WHEN_REQUIRED',
});
s3.middlewareStack.use(governS3(governor, { transfer })); // the only line that makes it obey

const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());
process.once('SIGTERM', () => interrupt.abort());
try {
  working = true;
  governor.workChanged(); // brings credits now, not with the next heartbeat
  const files = await uploadFolder(s3, { folder, bucket, concurrency: Number(CONCURRENCY) }, interrupt.signal);
  console.log(JSON.stringify({ atMs: Date.now(), type: 'uploaded', files }));
} catch (error) {
  console.error(interrupt.signal.aborted ? 'interrupted' : error);
  process.exitCode = 1;
} finally {
  await governor.stop(); // reports the last window and gives the share back
  s3.destroy();
}

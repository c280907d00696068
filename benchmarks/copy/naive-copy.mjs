// How one would copy a bucket with the client minio and nothing else: list, then for each object get and put, some at a time.
// Plain JavaScript, so that no loader is in its figures.
import { Client } from 'minio';

const [port = '', source = '', target = '', concurrency = '1', partBytes = ''] = process.argv.slice(2);
const account = (/** @type {string} */ name) =>
  new Client({
    endPoint: '127.0.0.1',
    port: Number(port),
    useSSL: false,
    accessKey: process.env[`${name}_ACCESS_KEY_ID`] ?? '',
    secretKey: process.env[`${name}_SECRET_ACCESS_KEY`] ?? '',
    partSize: Number(partBytes),
  });
const from = account('SOURCE');
const to = account('TARGET');
const listing = from.listObjectsV2(source, '', true)[Symbol.asyncIterator]();

async function worker() {
  for (;;) {
    const { value, done } = await listing.next();
    if (done) return;
    const body = await from.getObject(source, value.name);
    await to.putObject(target, value.name, body, value.size);
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, worker));

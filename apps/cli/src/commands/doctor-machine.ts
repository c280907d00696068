import { X509Certificate, createPrivateKey } from 'node:crypto';
import { access, constants, readFile, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { freemem, totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import { formatBytes } from '../output/figures.ts';
import { openFilesLimit } from '../output/open-files.ts';
import { type Finding, fail, ok, reasonOf, type Verdict, warn } from './doctor-finding.ts';
import { judgeCertificate, judgeDisk, judgeNode, judgeOpenFiles } from './doctor-verdicts.ts';

const HERE = 'this machine';
/** A console with 100,000 agents, or an agent with its defaults, fits into this. */
const LEAST_MEMORY_BYTES = 512 * 1_024 ** 2;

/** What every command needs. */
export async function examineMachine(): Promise<Finding[]> {
  const memory = `${formatBytes(freemem())} of ${formatBytes(totalmem())} free`;
  const verdicts = [
    judgeNode(process.versions.node),
    judgeOpenFiles(openFilesLimit()),
    totalmem() < LEAST_MEMORY_BYTES
      ? warn('memory', memory, 'A console and an agent want 512 MiB each.')
      : ok('memory', memory),
  ];
  return verdicts.map((verdict) => ({ target: HERE, ...verdict }));
}

/** The data folder of a console: rights, secrets file, disk. */
export async function examineDataDir(dataDir: string): Promise<Finding[]> {
  const folder = await judgeFolder(dataDir, 'data-dir');
  const verdicts = [...folder];
  if (folder.every(({ status }) => status !== 'fail')) {
    verdicts.push(...(await judgeSecrets(dataDir)), await freeDisk(dataDir));
  }
  return verdicts.map((verdict) => ({ target: dataDir, ...verdict }));
}

/** Whether a folder can be used by this user, or can be made. */
export async function judgeFolder(folder: string, check: string): Promise<Verdict[]> {
  const remedy = 'Name a folder that the user of the service owns, with mode 0700.';
  const found = await stat(folder).catch((error: unknown) => error);
  if (found instanceof Error) {
    if (!isAbsent(found)) return [fail(check, reasonOf(found), remedy)];
    const parent = await nearest(dirname(resolve(folder)));
    return (await may(parent, constants.W_OK))
      ? [ok(check, 'is not there yet; the first start makes it')]
      : [fail(check, `is not there, and cannot be made in ${parent}`, remedy)];
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `stat` gave no error
  const stats = found as Awaited<ReturnType<typeof stat>>;
  if (!stats.isDirectory()) return [fail(check, 'is no folder', remedy)];
  if (!(await may(folder, constants.R_OK | constants.W_OK | constants.X_OK))) {
    return [fail(check, 'this user may not read and write here', remedy)];
  }
  const mode = Number(stats.mode) & 0o777;
  const shown = `mode ${mode.toString(8).padStart(4, '0')}`;
  if ((mode & 0o077) === 0) return [ok(check, `${shown}, readable and writable`)];
  return [warn(check, `${shown}: other users can look into it`, `Close it: chmod 700 ${folder}`)];
}

/** Names of the console's files; `test/integration/doctor.test.ts` looks at a folder that a console made. */
const SECRETS_FILE = 'secrets.json';
const DATABASE_FILE = 'weir.db';
const SECRETS = ['encryptionKey', 'sessionKey', 'enrolmentToken', 'metricsToken'];

async function judgeSecrets(dataDir: string): Promise<Verdict[]> {
  const path = resolve(dataDir, SECRETS_FILE);
  const restore = 'Restore it from a backup; without it the saved endpoint secrets cannot be read.';
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (!isAbsent(error)) return [fail('secrets', `cannot be read: ${reasonOf(error)}`, restore)];
    return (await may(resolve(dataDir, DATABASE_FILE), constants.F_OK))
      ? [fail('secrets', `${SECRETS_FILE} is missing beside a database`, restore)]
      : [ok('secrets', 'none yet; the first start makes them')];
  }
  if (!holdsSecrets(text)) return [fail('secrets', `${SECRETS_FILE} is damaged`, restore)];
  return [await judgePrivacy(path, 'secrets', SECRETS_FILE)];
}

/** Never repeats what it reads. */
function holdsSecrets(text: string): boolean {
  try {
    const secrets: unknown = JSON.parse(text);
    if (typeof secrets !== 'object' || secrets === null) return false;
    return SECRETS.every((name) => typeof Reflect.get(secrets, name) === 'string');
  } catch {
    return false;
  }
}

/** Whether only the owner of a file can read it. */
export async function judgePrivacy(path: string, check: string, name: string): Promise<Verdict> {
  const mode = (await stat(path)).mode & 0o777;
  const found = `${name} has mode ${mode.toString(8).padStart(4, '0')}`;
  if ((mode & 0o077) === 0) return ok(check, found);
  return fail(
    check,
    `${found}: other users can read it`,
    `Close it (chmod 600 ${path}), and think of what may have been read.`,
  );
}

/** What this user may still write where a folder is, or will be. */
export async function freeDisk(folder: string): Promise<Verdict> {
  const place = await nearest(resolve(folder));
  try {
    const { bavail, bsize } = await statfs(place);
    return judgeDisk(bavail * bsize);
  } catch (error) {
    return warn('disk', `cannot be measured: ${reasonOf(error)}`, 'Look with df.');
  }
}

/** Whether a console could listen there. @param isConsole asks whether a console answers there already. */
export async function examinePort(host: string, port: number, isConsole: () => Promise<boolean>): Promise<Finding> {
  const target = `port ${port} of ${host}`;
  const problem = await listenOnce(host, port);
  if (problem === null) return { target, ...ok('port', 'free') };
  if (problem === 'EADDRINUSE') {
    if (await isConsole()) return { target, ...ok('port', 'a Weir console answers here') };
    return { target, ...fail('port', 'in use by another program', 'Choose another --port, or end that program.') };
  }
  const remedy = 'Choose an address of this machine, and a port that this user may listen on (1024 or above).';
  return { target, ...fail('port', `cannot be listened on: ${problem}`, remedy) };
}

function listenOnce(host: string, port: number): Promise<string | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/** A certificate and its key, before a console is started with them. */
export async function examineTlsFiles(
  certFile: string,
  keyFile: string | undefined,
  nowMs: number,
): Promise<Finding[]> {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(await readFile(certFile));
  } catch (error) {
    const remedy = 'Name a PEM file that this user can read.';
    return [{ target: certFile, ...fail('certificate', `cannot be used: ${reasonOf(error)}`, remedy) }];
  }
  const span = [certificate.validFrom, certificate.validTo].map((text) => Date.parse(text));
  const findings: Finding[] = [{ target: certFile, ...judgeCertificate(span[0] ?? 0, span[1] ?? 0, nowMs) }];
  if (keyFile === undefined) return findings;
  try {
    const belongs = certificate.checkPrivateKey(createPrivateKey(await readFile(keyFile)));
    const remedy = 'Name the key that the certificate was made with.';
    const verdict = belongs
      ? ok('key', 'belongs to the certificate')
      : fail('key', 'belongs to another certificate', remedy);
    findings.push(
      { target: keyFile, ...verdict },
      { target: keyFile, ...(await judgePrivacy(keyFile, 'key-rights', 'it')) },
    );
  } catch (error) {
    findings.push({
      target: keyFile,
      ...fail('key', `cannot be used: ${reasonOf(error)}`, 'Name a PEM file without a passphrase.'),
    });
  }
  return findings;
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** The folder itself, or the closest one above it that is there. */
async function nearest(folder: string): Promise<string> {
  let place = folder;
  while (!(await may(place, constants.F_OK)) && dirname(place) !== place) place = dirname(place);
  return place;
}

async function may(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

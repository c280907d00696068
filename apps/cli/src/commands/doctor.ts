import { CONSOLE_DEFAULTS, OPTION_WAYS } from '@weir/console/options';
import type { Terminal } from '../output/terminal.ts';
import { examineConsole, examineGroup, examineStateDir, isConsole, serverUrl, serverUrls } from './doctor-console.ts';
import { exitCodeOf, type Finding, renderFindings } from './doctor-finding.ts';
import { examineDataDir, examineMachine, examinePort, examineTlsFiles } from './doctor-machine.ts';
import type { DoctorFlags } from './doctor-options.ts';
import { examineKeys } from './doctor-keys.ts';
import { examinePostgres, examineS3, examineStore } from './doctor-stores.ts';

/** `weir doctor`: looks at this machine and at what the flags name, all at once, and says what is wrong and what to do. */
export async function doctorCommand(flags: DoctorFlags, terminal: Terminal): Promise<number> {
  const findings = (await Promise.all(examinations(flags))).flat();
  const exitCode = exitCodeOf(findings);
  if (flags.json) terminal.out(`${JSON.stringify({ status: ['ok', 'warn', 'fail'][exitCode], findings })}\n`);
  else terminal.out(`${renderFindings(findings).join('\n')}\n`);
  return exitCode;
}

/** In the order of the report. Addresses are read first, so that a misspelt one ends the command before anything is asked. */
function examinations(flags: DoctorFlags): Promise<Finding[]>[] {
  const now = Date.now;
  const consoleUrls = serverUrls(flags.console ?? [], '--console');
  const s3Url = flags.s3 === undefined ? null : serverUrl(flags.s3, '--s3');
  const storageUrl = flags.storageUrl ?? process.env[OPTION_WAYS.storageUrl.variable];
  const login = flags.user === undefined ? null : { user: flags.user, passwordFile: flags.passwordFile };
  const all = [examineMachine()];
  if (flags.dataDir !== undefined)
    all.push(examineDataDir(flags.dataDir), examineKeys(flags.dataDir, storageUrl ?? CONSOLE_DEFAULTS.storageUrl));
  if (flags.port !== undefined) all.push(ownPort(flags.host, flags.port, flags.tlsCert !== undefined));
  if (flags.tlsCert !== undefined) all.push(examineTlsFiles(flags.tlsCert, flags.tlsKey, now()));
  if (flags.stateDir !== undefined) all.push(examineStateDir(flags.stateDir, consoleUrls));
  for (const url of consoleUrls) all.push(examineConsole(url, login, now));
  if (consoleUrls.length > 1) all.push(examineGroup(consoleUrls));
  // The console's default, which needs no server.
  if (storageUrl !== undefined && storageUrl !== CONSOLE_DEFAULTS.storageUrl)
    all.push(examinePostgres(storageUrl, now));
  for (const store of flags.store) all.push(examineStore(store, now));
  if (s3Url !== null) all.push(examineS3(s3Url, s3Options(flags), flags.s3Bucket, now));
  return all;
}

async function ownPort(host: string, port: number, tls: boolean): Promise<Finding[]> {
  const answering =
    host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return [await examinePort(host, port, () => isConsole(`${tls ? 'https' : 'http'}://${answering}:${port}`))];
}

function s3Options(flags: DoctorFlags): Parameters<typeof examineS3>[1] {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: token,
  } = process.env;
  if (!accessKeyId || !secretAccessKey) return null;
  return {
    region: flags.s3Region,
    pathStyle: !flags.virtualHosts,
    credentials: { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) },
  };
}

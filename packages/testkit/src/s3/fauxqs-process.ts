import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { FauxqsOptions, S3TestServer } from './fauxqs.ts';

const START_TIMEOUT_MS = 20_000;

/**
 * Starts the same server in a process of its own, so that its work does not run on the caller's event loop.
 * The child ends with `stop()`, and by itself when the parent's end of its standard input closes.
 */
export async function startFauxqsProcess(
  options: Pick<FauxqsOptions, 'port' | 'requestDelayMs'> = {},
): Promise<S3TestServer & { pid: number }> {
  const child = spawn(
    process.execPath,
    [...scriptArguments(), String(options.port ?? 0), String(options.requestDelayMs ?? 0)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const line = await firstLine(child.stdout, ended);
  const url = line === null ? null : /"url":"([^"]+)"/.exec(line)?.[1];
  if (url === null || url === undefined || child.pid === undefined) {
    child.kill('SIGKILL');
    throw new Error('the fauxqs process did not start; its error output is above');
  }
  return {
    url,
    port: Number(url.slice(url.lastIndexOf(':') + 1)),
    pid: child.pid,
    region: 'us-east-1',
    accessKeyId: 'fauxqs',
    secretAccessKey: 'fauxqs-secret',
    stop: async () => {
      child.stdin.end();
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function scriptArguments(): string[] {
  const fromSource = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(`./fauxqs-main.${fromSource ? 'ts' : 'js'}`, import.meta.url));
  if (!fromSource) return [script];
  const loader = createRequire(import.meta.url).resolve('tsx');
  return ['--import', pathToFileURL(loader).href, script];
}

async function firstLine(output: NodeJS.ReadableStream, ended: Promise<void>): Promise<string | null> {
  const lines = createInterface({ input: output });
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS);
  try {
    return await Promise.race([
      new Promise<string>((resolve) => {
        lines.once('line', resolve);
      }),
      ended.then(() => null),
      new Promise<null>((resolve) => {
        timeout.addEventListener('abort', () => resolve(null), { once: true });
      }),
    ]);
  } finally {
    lines.close();
    output.resume();
  }
}

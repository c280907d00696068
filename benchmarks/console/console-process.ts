import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { writeFleet } from './fleet-database.ts';

const COMMAND = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));
const PASSWORD = 'benchmark-password';
/** Ticks of the CPU clock in /proc a second: fixed for user space on Linux. */
const TICKS_PER_SECOND = 100;

/** Where a console keeps what it knows. */
export interface Place {
  /** Options that name it. */
  readonly flags: readonly string[];
  /** Writes agents into it while the console does not run. */
  readonly writeFleet: (agents: number) => Promise<void>;
}

/** A real console in a process of its own, with a database in a folder of its own. */
export class ConsoleProcess {
  readonly url: URL;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #killAtExit = (): void => void this.#child.kill('SIGKILL');
  #cookie = '';

  private constructor(child: ChildProcess, url: URL, folder: string) {
    this.#child = child;
    this.url = url;
    this.#folder = folder;
    process.once('exit', this.#killAtExit);
  }

  /**
   * @param agents how many agents it knows from before.
   * @param place default: SQLite in the console's folder.
   * @param profileFolder where it leaves a CPU profile when it stops; default: none is made.
   */
  static async start(agents: number, place?: Place, profileFolder?: string): Promise<ConsoleProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'weir-bench-console-'));
    // Once without a fleet, because it makes its secrets only beside a database of its own.
    const { flags, writeFleet } = place ?? sqlitePlace(folder);
    const first = await spawnConsole(folder, flags);
    const ended = once(first.child, 'exit');
    first.child.kill('SIGTERM');
    await ended;
    await writeFleet(agents);
    const profiled = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
    const { child, url } = await spawnConsole(folder, flags, profiled);
    const started = new ConsoleProcess(child, url, folder);
    await started.#logIn();
    return started;
  }

  async #logIn(): Promise<void> {
    const answer = await this.#send('POST', '/api/v1/session', { username: 'admin', password: PASSWORD });
    this.#cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  }

  /** A call as the admin. */
  async call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const answer: unknown = await (await this.#send(method, path, body)).json();
    if (typeof answer !== 'object' || answer === null) throw new Error(`${path} answered no object`);
    return { ...answer };
  }

  /** Reads an answer to its end as the admin, without looking at it. */
  async read(path: string): Promise<void> {
    await (await this.#send('GET', path)).arrayBuffer();
  }

  async #send(method: string, path: string, body?: object): Promise<Response> {
    const answer = await fetch(new URL(path, this.url), {
      method,
      headers: { cookie: this.#cookie, origin: this.url.origin, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  /** CPU time that it has used, in s, and its memory. */
  usage(): { cpuSeconds: number; rssMiB: number } {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8'));
    return { cpuSeconds: ticks / TICKS_PER_SECOND, rssMiB: Number(rss?.[1]) / 1_024 };
  }

  async stop(): Promise<void> {
    process.off('exit', this.#killAtExit);
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function sqlitePlace(folder: string): Place {
  return { flags: [], writeFleet: (agents) => writeFleet(folder, agents) };
}

async function spawnConsole(
  folder: string,
  more: readonly string[],
  nodeFlags: readonly string[] = [],
): Promise<{ child: ChildProcess; url: URL }> {
  const own = ['console', '--data-dir', folder, '--port', '0', '--json', '--end-with-input', '--log-level', 'error'];
  const child = spawn(process.execPath, [...nodeFlags, COMMAND, ...own, ...more], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, WEIR_ADMIN_PASSWORD: PASSWORD },
  });
  const [line]: unknown[] = await once(createInterface(child.stdout), 'line');
  const said: unknown = JSON.parse(String(line));
  if (typeof said !== 'object' || said === null || !('url' in said))
    throw new Error(`the console said ${String(line)}`);
  return { child, url: new URL(String(said.url)) };
}

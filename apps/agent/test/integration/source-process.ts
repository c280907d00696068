import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A script of this folder in a process of its own, from the sources. */
export class SourceProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<void>;
  output = '';

  constructor(script: string, argument: unknown) {
    const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const path = fileURLToPath(new URL(script, import.meta.url));
    const flags = ['--conditions=@weir/source', '--import', loader];
    this.#child = spawn(process.execPath, [...flags, path, JSON.stringify(argument)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8');
      stream?.on('data', (chunk: string) => (this.output += chunk));
    }
    this.exited = new Promise((resolve) => this.#child.once('close', () => resolve()));
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    this.#child.kill(signal);
    await this.exited;
  }
}

import { createHash, randomUUID } from 'node:crypto';
import { access, chmod, constants, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What an agent keeps over restarts: its own credential, and the console and name that it belongs to. */
export interface StoredCredential {
  /** A credential is only ever sent to the console that issued it. */
  consoleUrl: string;
  name: string;
  agentId: string;
  credential: string;
}

/** The stored credential cannot be read or written; says which file and why. */
export class CredentialFileError extends Error {
  override readonly name = 'CredentialFileError';
}

/**
 * One file per console and name in the state folder, so that several agents of a host can share the folder. Readable and
 * writable by its owner only; replaced as a whole, so that a crash leaves the old or the new one.
 */
export class CredentialFile {
  readonly path: string;
  readonly #stateDir: string;
  readonly #consoleUrl: string;
  readonly #name: string;

  constructor(stateDir: string, consoleUrl: string, name: string) {
    this.#stateDir = stateDir;
    this.#consoleUrl = consoleUrl;
    this.#name = name;
    this.path = join(stateDir, `agent-${fileNamePart(new URL(consoleUrl).host)}-${fileNamePart(name)}.json`);
  }

  /**
   * @returns the credential for this console and name; null when there is none
   * @throws CredentialFileError when there is a file that cannot be used: it is not silently replaced
   */
  async read(): Promise<StoredCredential | null> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw new CredentialFileError(`cannot read ${this.path}: ${messageOf(error)}`, { cause: error });
    }
    const stored = parse(text);
    if (stored === null) {
      throw new CredentialFileError(`${this.path} is damaged: remove it, and start with an enrolment token`);
    }
    return stored.consoleUrl === this.#consoleUrl && stored.name === this.#name ? stored : null;
  }

  /**
   * Makes the state folder. To be called before enrolment: a credential that cannot be kept is lost.
   * @throws CredentialFileError when the folder cannot be made or written to
   */
  async prepare(): Promise<void> {
    try {
      await mkdir(this.#stateDir, { recursive: true, mode: 0o700 });
      await access(this.#stateDir, constants.W_OK);
    } catch (error) {
      throw new CredentialFileError(`cannot write to ${this.#stateDir}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** @throws CredentialFileError */
  async write(agentId: string, credential: string): Promise<void> {
    const stored: StoredCredential = { consoleUrl: this.#consoleUrl, name: this.#name, agentId, credential };
    const temporary = `${this.path}.${randomUUID()}`;
    try {
      await writeFile(temporary, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      // The mode above is cut by the umask, never widened; an umask that takes reading away would lock us out.
      await chmod(temporary, 0o600);
      await rename(temporary, this.path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw new CredentialFileError(`cannot write ${this.path}: ${messageOf(error)}`, { cause: error });
    }
  }
}

function parse(text: string): StoredCredential | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const [consoleUrl, name, agentId, credential] = ['consoleUrl', 'name', 'agentId', 'credential'].map((member) => {
    const found: unknown = Reflect.get(value, member);
    return typeof found === 'string' ? found : '';
  });
  if (!consoleUrl || !name || !agentId || !credential) return null;
  return { consoleUrl, name, agentId, credential };
}

/** Longest part of a file name that is taken as it is; file systems allow 255 bytes in all. */
const MAX_PLAIN_LENGTH = 90;

/** Every name gets a file name of its own that is legal everywhere, also on file systems that ignore case. */
function fileNamePart(text: string): string {
  let part = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const character = String.fromCodePoint(byte);
    part += /[a-z0-9.-]/.test(character) ? character : `_${byte.toString(16).padStart(2, '0')}`;
  }
  if (part.length <= MAX_PLAIN_LENGTH) return part;
  const digest = createHash('sha256').update(text).digest('hex');
  return `${part.slice(0, MAX_PLAIN_LENGTH - 17)}_${digest.slice(0, 16)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

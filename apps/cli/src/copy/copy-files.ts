import { manifestLine, type CopyFailure, type ManifestEntry } from '@weir/s3-copy';
import { LineFile } from './line-file.ts';
import type { ManifestHeader, ManifestFooter } from './local-manifest.ts';
import { StateFile, type CopyState } from './state-file.ts';

export interface CopyFileNames {
  readonly state?: string;
  readonly failed?: string;
  readonly manifest?: string;
}

/**
 * The files that a copy writes. The state says how long the others were at its checkpoint, and is written after them: what
 * a killed process added later is cut off by the one that goes on.
 */
export class CopyFiles {
  readonly #state: StateFile | null;
  readonly #failed: LineFile | null;
  readonly #manifest: LineFile | null;

  private constructor(state: StateFile | null, failed: LineFile | null, manifest: LineFile | null) {
    this.#state = state;
    this.#failed = failed;
    this.#manifest = manifest;
  }

  /** @throws CommandError when one of them cannot be written */
  static async open(names: CopyFileNames, from: CopyState, header: ManifestHeader): Promise<CopyFiles> {
    // What failed is tried again once a listing is done, so that its list begins anew.
    const failedBytes = from.listingDone ? 0 : from.failedBytes;
    const failed = names.failed === undefined ? null : await LineFile.open(names.failed, failedBytes);
    const manifest = names.manifest === undefined ? null : await LineFile.open(names.manifest, from.manifestBytes);
    if (from.manifestBytes === 0) manifest?.add(JSON.stringify(header));
    return new CopyFiles(names.state === undefined ? null : new StateFile(names.state), failed, manifest);
  }

  get keepsState(): boolean {
    return this.#state !== null;
  }

  addFailure(failure: CopyFailure): void {
    this.#failed?.add(JSON.stringify(failure));
  }

  addEntry(entry: ManifestEntry): void {
    this.#manifest?.add(manifestLine(entry));
  }

  /** Writes everything down. @throws CommandError when it cannot be written */
  async save(state: CopyState): Promise<void> {
    const failedBytes = this.#failed?.bytes ?? 0;
    const manifestBytes = this.#manifest?.bytes ?? 0;
    await this.#failed?.flush();
    await this.#manifest?.flush();
    await this.#state?.write({ ...state, failedBytes, manifestBytes });
  }

  /** Saves for the last time. `done`: nothing is left to go on with, and the state goes. */
  async finish(state: CopyState, footer: ManifestFooter, done: boolean): Promise<void> {
    await this.save(state);
    this.#manifest?.add(JSON.stringify(footer));
    await this.#manifest?.flush();
    if (done) await this.#state?.remove();
  }

  async close(): Promise<void> {
    await Promise.all([this.#failed?.close(), this.#manifest?.close()]);
  }
}

/** Object bytes that governed clients moved, so that the monitor can show real bandwidth. One for all clients of a governor. */
export class TransferMeter {
  #bytesRead = 0;
  #bytesWritten = 0;

  /** Bytes of an object that came from a server. What is not a whole number ≥ 0 is ignored. */
  read(bytes: number): void {
    if (isCount(bytes)) this.#bytesRead += bytes;
  }

  /** Bytes of an object that a server has taken. What is not a whole number ≥ 0 is ignored. */
  wrote(bytes: number): void {
    if (isCount(bytes)) this.#bytesWritten += bytes;
  }

  /** What has moved since this was last called: the governor's `takeTransferredBytes`. */
  take(): { bytesRead: number; bytesWritten: number } {
    const taken = { bytesRead: this.#bytesRead, bytesWritten: this.#bytesWritten };
    this.#bytesRead = 0;
    this.#bytesWritten = 0;
    return taken;
  }
}

function isCount(bytes: number): boolean {
  return Number.isSafeInteger(bytes) && bytes >= 0;
}

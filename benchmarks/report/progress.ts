/** Says what is being measured: one line that is overwritten on a terminal, one line per stage elsewhere. */
export class Progress {
  #stage = '';
  #columns = 0;

  stage(name: string): void {
    this.done();
    this.#stage = name;
    if (!process.stderr.isTTY) process.stderr.write(`▸ ${name}\n`);
  }

  readonly step = (text: string): void => {
    if (!process.stderr.isTTY) return;
    const line = `▸ ${this.#stage}: ${text}`.slice(0, Math.max(20, process.stderr.columns - 1));
    process.stderr.write(`\r${line.padEnd(this.#columns)}`);
    this.#columns = line.length;
  };

  /** Clears the line. */
  done(): void {
    if (this.#columns > 0) process.stderr.write(`\r${' '.repeat(this.#columns)}\r`);
    this.#columns = 0;
  }
}

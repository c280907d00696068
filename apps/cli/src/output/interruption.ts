import { EXIT_CODES } from './command-error.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Ctrl-C for work that has to be put away: the first and the second are told to the work, which ends it in good order and
 * then at once; the third ends the process.
 */
export class Interruption {
  readonly #controller = new AbortController();
  readonly #listen: () => void;
  #count = 0;
  /** Called for the first and for the second. */
  onInterrupt: () => void = () => undefined;

  constructor() {
    this.#listen = () => {
      this.#count += 1;
      if (this.#count > 2) process.exit(EXIT_CODES.interrupted);
      this.#controller.abort();
      this.onInterrupt();
    };
    for (const signal of SIGNALS) process.on(signal, this.#listen);
  }

  /** Aborts with the first. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Signals end the process again. */
  end(): void {
    for (const signal of SIGNALS) process.off(signal, this.#listen);
  }
}

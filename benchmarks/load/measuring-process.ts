import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The word by which `main.ts` knows that it is such a process. */
export const MEASURE = '--measure';

type Request = Readonly<Record<string, string | number>>;

/**
 * A process of its own for one contestant, so that neither the garbage nor the compiled code of others is in it: an engine
 * that several users share in one process is compiled for all of them, and slower for each.
 */
export class MeasuringProcess<Result> {
  readonly #child: ChildProcess;
  readonly #isResult: (value: unknown) => value is Result;
  readonly #ended: Promise<unknown>;
  readonly #killAtExit = (): void => void this.#child.kill('SIGKILL');

  /** @param args tell `main.ts` which contestant it is. */
  constructor(args: readonly string[], isResult: (value: unknown) => value is Result) {
    this.#child = fork(process.argv[1] ?? '', [MEASURE, ...args]);
    this.#ended = once(this.#child, 'exit');
    this.#isResult = isResult;
    process.once('exit', this.#killAtExit);
  }

  /** One piece of work at a time. @throws when it fails there. */
  async ask(request: Request): Promise<Result> {
    const answered = once(this.#child, 'message');
    this.#child.send(request);
    const [answer]: unknown[] = await Promise.race([answered, this.#ended.then(() => ['its process ended'])]);
    if (this.#isResult(answer)) return answer;
    throw new Error(`a contestant failed: ${typeof answer === 'string' ? answer : JSON.stringify(answer)}`);
  }

  /** As a crash does. */
  async kill(): Promise<void> {
    process.off('exit', this.#killAtExit);
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

/** In such a process: answers one request after the other. */
export function answerRequests(answer: (request: Request) => Promise<object>): void {
  process.once('disconnect', () => process.exit());
  process.on('message', (request: Request) => {
    answer(request).then(
      (result) => process.send?.(result),
      (error: unknown) => process.send?.(String(error)),
    );
  });
}

import { EXIT_CODES } from './command-error.ts';

/**
 * Resolves when the process is asked to end, by a signal or, if so wished, by the end of its standard input: that comes
 * also when whoever started it is killed. A second signal ends the process at once.
 */
export function untilAskedToEnd(options: {
  endWithInput: boolean;
  /** How it ends at once. Default: as every process, which waits for threads of its own. */
  atOnce?: () => void;
}): Promise<NodeJS.Signals | 'end of input'> {
  const atOnce = options.atOnce ?? (() => process.exit(EXIT_CODES.interrupted));
  return new Promise((resolve) => {
    if (options.endWithInput) {
      const ended = (): void => resolve('end of input');
      process.stdin.on('end', ended).on('error', ended).resume();
    }
    const first = (signal: NodeJS.Signals): void => {
      for (const name of SIGNALS) process.off(name, first).once(name, atOnce);
      // An input that is still open would keep the process from ending.
      if (options.endWithInput) process.stdin.destroy();
      resolve(signal);
    };
    for (const name of SIGNALS) process.on(name, first);
  });
}

/**
 * Ends the process whatever its threads do: one that waits for a disk which never answers would keep it from every other end.
 * What is written down is what a killed process leaves; exit code 137 for whoever started it.
 */
export function endWithoutThreads(): void {
  process.kill(process.pid, 'SIGKILL');
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

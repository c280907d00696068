/**
 * Resolves when the process is asked to end, by a signal or, if so wished, by the end of its standard input: that comes
 * also when whoever started it is killed. A second signal ends the process at once.
 */
export function untilAskedToEnd(options: { endWithInput: boolean }): Promise<NodeJS.Signals | 'end of input'> {
  return new Promise((resolve) => {
    if (options.endWithInput) {
      const ended = (): void => resolve('end of input');
      process.stdin.on('end', ended).on('error', ended).resume();
    }
    const first = (signal: NodeJS.Signals): void => {
      for (const name of SIGNALS) {
        process.off(name, first);
        process.once(name, () => process.exit(130));
      }
      // An input that is still open would keep the process from ending.
      if (options.endWithInput) process.stdin.destroy();
      resolve(signal);
    };
    for (const name of SIGNALS) process.on(name, first);
  });
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

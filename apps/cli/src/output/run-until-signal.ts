/** Resolves with the signal's name when the process is asked to end, once; a second signal ends it at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const first = (signal: NodeJS.Signals): void => {
      for (const name of SIGNALS) {
        process.off(name, first);
        process.once(name, () => process.exit(130));
      }
      resolve(signal);
    };
    for (const name of SIGNALS) process.on(name, first);
  });
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

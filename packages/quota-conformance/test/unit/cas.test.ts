import { describeStore, MemoryBackend, OpaqueStore, type Harness } from '../../src/index.ts';

function opaqueHarness(): Promise<Harness> {
  let nowMs = Date.UTC(2026, 10, 30, 14, 5);
  const backend = new MemoryBackend(() => nowMs);
  return Promise.resolve({
    open: () => Promise.resolve(new OpaqueStore(backend)),
    deadlineOf: (key) => {
      const entry = backend.peek(key);
      if (entry === undefined) return Promise.resolve('absent');
      return Promise.resolve(Number.isFinite(entry.expiresAtMs) ? entry.expiresAtMs : 'undated');
    },
    plantUndated: (key, total) => backend.put(key, String(total), Number.POSITIVE_INFINITY),
    now: () => nowMs,
    pass: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
    faults: {
      flush: () => {
        backend.clear();
        return Promise.resolve();
      },
    },
    close: () => Promise.resolve(),
  });
}

describeStore('opaque with compare-and-swap', {
  create: opaqueHarness,
  capability: 'opaque',
  atomicGroups: false,
});

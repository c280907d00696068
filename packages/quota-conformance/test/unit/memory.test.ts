import { MemoryStore } from '@weir/quota';
import { describeStore, type Harness } from '../../src/index.ts';

function memoryHarness(): Promise<Harness> {
  let nowMs = Date.UTC(2026, 10, 30, 14, 5);
  const clock = (): number => nowMs;
  const store = new MemoryStore({ clock });
  return Promise.resolve({
    // Every "connection" reaches the same memory.
    open: () => Promise.resolve(store),
    deadlineOf: (key) => Promise.resolve(store.deadlineOf(key) ?? 'absent'),
    now: clock,
    pass: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
    faults: {
      flush: () => Promise.resolve(store.clear()),
    },
    close: () => store.close(),
  });
}

describeStore('memory', { create: memoryHarness, capability: 'dated-increment' });

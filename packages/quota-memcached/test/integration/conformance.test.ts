import { describeStore, type Faults, type Harness } from '@weir/quota-conformance';
import { startFaultProxy } from '@weir/testkit/network';
import { startMemcached, type MemcachedServer } from '@weir/testkit/memcached';
import { afterAll, beforeAll } from 'vitest';
import { MemcachedStore, type Protocol } from '../../src/index.ts';

let server: MemcachedServer;

beforeAll(async () => {
  server = await startMemcached();
});

afterAll(async () => {
  await server.stop();
});

/** Short, so that a stalled connection is given up within the test. */
const CALL_TIMEOUT_MS = 400;

async function harness(protocol: Protocol): Promise<Harness> {
  const proxy = await startFaultProxy({ port: server.port });
  const faults: Faults = {
    loseReply: async (write) => {
      proxy.cutReplies(1);
      await write();
      proxy.setMode('pass');
    },
    stall: async (during) => {
      proxy.setMode('stall');
      await during();
      proxy.setMode('pass');
    },
    halfOpen: async (during) => {
      proxy.setMode('half-open');
      await during();
      proxy.setMode('pass');
    },
    restart: () => server.restart(),
    flush: async () => {
      await server.exchange('flush_all\r\n');
    },
  };
  const open = async (): Promise<MemcachedStore> => {
    const client = { servers: `127.0.0.1:${proxy.port}`, callTimeoutMs: CALL_TIMEOUT_MS };
    const store = new MemcachedStore(client, { protocol });
    return Promise.resolve(store);
  };
  return {
    open,
    deadlineOf,
    // The classic protocol never shows a deadline, so a store that speaks it cannot date what another program left undated.
    ...(protocol === 'classic' ? {} : { plantUndated: plantUndated }),
    faults,
    close: () => proxy.close(),
  };
}

/** Seconds left and the server's clock, asked in one breath, give its deadline. */
async function deadlineOf(key: string): Promise<number | 'undated' | 'absent'> {
  const replies = await server.exchange(`mg ${key} t\r\nstats\r\n`);
  if (replies.startsWith('EN')) return 'absent';
  const remaining = Number(/^HD t(-?\d+)/.exec(replies)?.[1]);
  const now = Number(/^STAT time (\d+)/m.exec(replies)?.[1]);
  return remaining === -1 ? 'undated' : (now + remaining) * 1_000;
}

async function plantUndated(key: string, total: number): Promise<void> {
  const digits = String(total);
  await server.exchange(`set ${key} 0 0 ${digits.length}\r\n${digits}\r\n`);
}

// A deadline is rounded up to a second, and the server's clock steps once a second.
const shared = { atomicGroups: false, deadlineSlackMs: 2_000 };

describeStore('memcached, meta protocol', {
  ...shared,
  create: () => harness('auto'),
  capability: 'dated-increment',
});

describeStore('memcached, classic protocol', {
  ...shared,
  create: () => harness('classic'),
  capability: 'increment-then-date',
});

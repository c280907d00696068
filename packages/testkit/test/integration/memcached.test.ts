import { expect, test } from 'vitest';
import { startMemcached } from '../../src/memcached/server.ts';

test('a server answers once started, is empty after a kill and a restart, and leaves no process when stopped', async () => {
  const server = await startMemcached({ memoryMegabytes: 8 });
  try {
    const replies = await server.exchange('set undated 0 0 2\r\n57\r\nms dated 1 T100\r\n1\r\nincr undated 1\r\n');
    expect(replies).toBe('STORED\r\nHD\r\n58\r\n');
    const entries = await server.entries();
    expect(entries.map(({ key }) => key).sort()).toEqual(['dated', 'undated']);
    expect(entries.find(({ key }) => key === 'undated')?.expiresAtSeconds).toBe(-1);
    expect(entries.find(({ key }) => key === 'dated')?.expiresAtSeconds).toBeGreaterThan(1_700_000_000);
    const dumps = await Promise.all([server.entries(), server.entries(), server.entries()]);
    expect(dumps.map((dump) => dump.length)).toEqual([2, 2, 2]);
    expect(await server.exchange('stats settings\r\n')).toContain(`STAT maxbytes ${8 * 1024 * 1024}\r\n`);

    const before = server.pid;
    await server.kill();
    expect(() => process.kill(before, 0)).toThrow(/ESRCH/);
    await expect(server.exchange('version\r\n')).rejects.toThrow(/ECONNREFUSED/);
    await server.restart();
    expect(server.pid).not.toBe(before);
    expect(await server.entries()).toEqual([]);
  } finally {
    const { pid } = server;
    await server.stop();
    await server.stop();
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  }
});

test('a flag that memcached refuses is reported with what it printed', async () => {
  await expect(startMemcached({ port: 1, flags: ['--no-such-flag'] })).rejects.toThrow(/no-such-flag/);
});

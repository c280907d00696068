import { describe, expect, it } from 'vitest';
import { parseServerUrl, redacted } from '../../src/commands/quota-servers.ts';

describe('addresses of stores', () => {
  it('are read with every scheme, Valkey as Redis, several memcached servers in one', () => {
    const hrefs = ['redis://h:1/2', 'rediss://u:p@h:1', 'valkey://h', 'valkeys://h:3'].map((text) => {
      const target = parseServerUrl(text);
      return target.kind === 'redis' ? target.url.href : target.servers;
    });
    expect(hrefs).toEqual(['redis://h:1/2', 'rediss://u:p@h:1', 'redis://h', 'rediss://h:3']);
    expect(parseServerUrl('memcached://a:1,b:2')).toEqual({
      kind: 'memcached',
      servers: ['memcached://a:1', 'memcached://b:2'],
    });
  });

  it('are refused with a remedy when they name no store', () => {
    for (const text of ['', 'h:6379', 'http://h', 'redis://', 'redis://h:99999']) {
      expect(() => parseServerUrl(text)).toThrow(expect.objectContaining({ code: 'url-invalid', exitCode: 2 }));
    }
  });

  it('never show a password', () => {
    expect(redacted('redis://u:se:cr@et@h:1')).toBe('redis://u:…@h:1');
    expect(redacted('redis://:secret@h')).toBe('redis://:…@h');
    expect(redacted('redis://h:6379/0')).toBe('redis://h:6379/0');
    expect(() => parseServerUrl('redis://u:secret@h:99999')).toThrow(
      /^not the address of a store: redis:\/\/u:…@h:99999$/,
    );
  });
});

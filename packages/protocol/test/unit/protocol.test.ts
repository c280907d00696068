import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agentList,
  agentQuery,
  attentionRank,
  DEFAULT_GOVERNOR_SETTINGS,
  displayName,
  endpointInput,
  governorSettings,
  jobInput,
  objectKey,
  routes,
  utf8Length,
  withEnforcedMinimum,
} from '../../src/index.ts';

describe('keys', () => {
  it('counts bytes of UTF-8 as an encoder does, for any well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(text.isWellFormed());
        expect(utf8Length(text)).toBe(Buffer.byteLength(text, 'utf8'));
      }),
    );
  });

  it('takes every legal key as it is, and refuses empty, too long and malformed ones', () => {
    const legal = ['a', '/', '//a', '../a', ' a ', 'a\u0001', '+%&?#', 'größe', 'é'.repeat(512), '🌊'.repeat(256)];
    for (const key of legal) expect(objectKey.parse(key)).toBe(key);
    for (const key of ['', 'é'.repeat(513), 'a'.repeat(1_025), '\ud800']) {
      expect(objectKey.safeParse(key).success).toBe(false);
    }
  });
});

describe('governor settings', () => {
  it('has defaults that are valid: LIST, GET and PUT on, DELETE off, alarm at 95 %', () => {
    expect(governorSettings.parse(DEFAULT_GOVERNOR_SETTINGS)).toMatchObject({
      enabled: true,
      globalLimitTps: 10_000,
      transactionTypes: { LIST: true, GET: true, PUT: true, DELETE: false },
      alarmThresholdPercent: 95,
    });
  });

  it('raises a limit below 100 to 100 and leaves all others alone', () => {
    for (const [given, kept] of [
      [0, 100],
      [40, 100],
      [100, 100],
      [101, 101],
    ] as const) {
      const settings = { ...DEFAULT_GOVERNOR_SETTINGS, globalLimitTps: given };
      expect(withEnforcedMinimum(governorSettings.parse(settings)).globalLimitTps).toBe(kept);
    }
  });

  it.each([['abc'], [null], [12.5], [-1], [Number.NaN], [1e12], ['10000']])('refuses a limit of %j', (limit) => {
    const result = governorSettings.safeParse({ ...DEFAULT_GOVERNOR_SETTINGS, globalLimitTps: limit });
    expect(result.error?.issues[0]?.path).toEqual(['globalLimitTps']);
  });

  it('refuses settings that it does not know', () => {
    const result = governorSettings.safeParse({ ...DEFAULT_GOVERNOR_SETTINGS, pace: 'fast' });
    expect(result.error?.issues[0]).toMatchObject({ code: 'unrecognized_keys', keys: ['pace'] });
  });
});

describe('input', () => {
  it('fills what may be left out of endpoints and jobs', () => {
    const endpoint = endpointInput.parse({ name: 'A', url: 'http://s3', accessKeyId: 'k', secretAccessKey: 's' });
    expect(endpoint).toMatchObject({ region: 'us-east-1', pathStyle: true });
    const side = { endpointId: 'end_1', bucket: 'data' };
    expect(jobInput.parse({ name: 'A', source: side, target: side })).toMatchObject({
      mode: 'copy-all',
      source: { prefix: '' },
    });
  });

  it('takes only http and https addresses', () => {
    for (const url of ['ftp://s3', 'javascript:alert(1)', 's3.example', '']) {
      const endpoint = { name: 'A', url, accessKeyId: 'k', secretAccessKey: 's' };
      expect(endpointInput.safeParse(endpoint).success).toBe(false);
    }
  });

  it('refuses names that a screen could not show honestly', () => {
    for (const name of ['', ' a', 'a ', 'a\nb', 'a'.repeat(65)])
      expect(displayName.safeParse(name).success).toBe(false);
  });
});

describe('the list of agents', () => {
  it('is asked for as before there was a query: 2,000 agents, revoked ones too', () => {
    expect(agentQuery.parse({})).toEqual({ rows: 2_000, revoked: true });
    const asked = { name: 'Rack', rows: '25', revoked: 'false' };
    expect(agentQuery.parse(asked)).toEqual({ name: 'Rack', rows: 25, revoked: false });
  });

  it.each([
    [{ rows: '0' }, 'rows'],
    [{ rows: '2001' }, 'rows'],
    [{ rows: '1.5' }, 'rows'],
    [{ rows: 'all' }, 'rows'],
    [{ revoked: 'yes' }, 'revoked'],
    [{ revoked: '' }, 'revoked'],
    [{ name: 'x'.repeat(256) }, 'name'],
  ])('refuses to be asked for by %j', (query, field) => {
    expect(agentQuery.safeParse(query).error?.issues[0]?.path).toEqual([field]);
  });

  it('is read as an earlier console sent it, without totals', () => {
    expect(agentList.parse({ agents: [] })).toEqual({ agents: [] });
  });

  it('ranks agents by how much they need a look: each reason goes before all that follow', () => {
    const well = { revoked: false, inTrouble: false, inHoldoff: false, limiter: true, status: 'running' } as const;
    const ranked = [
      { ...well, inTrouble: true, inHoldoff: true, limiter: false },
      { ...well, inHoldoff: true, limiter: false, status: 'idle' as const },
      { ...well, limiter: false, status: 'offline' as const },
      well,
      { ...well, status: 'idle' as const },
      { ...well, status: 'offline' as const },
      { ...well, revoked: true, inTrouble: true, inHoldoff: true, limiter: false },
    ];
    expect(ranked.map(attentionRank)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

describe('routes', () => {
  const all = Object.entries(routes);

  it('declare each method and path once', () => {
    const doors = all.map(([, { method, path }]) => `${method} ${path}`);
    expect(new Set(doors).size).toBe(doors.length);
  });

  it('declare every parameter of their path', () => {
    for (const [name, { path, params }] of all) {
      const inPath = [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => String(parameter));
      const declared = params === undefined ? [] : Object.keys(params.shape);
      expect({ name, parameters: declared.toSorted() }).toEqual({ name, parameters: inPath.toSorted() });
    }
  });

  it('let the public only ask for life, facts and a login', () => {
    const open = all.filter(([, { auth }]) => auth === 'public').map(([name]) => name);
    expect(open).toEqual(['health', 'info', 'login']);
  });

  it('keep what changes something from viewers, except their own session and password', () => {
    const changing = all.filter(([, { method, auth }]) => method !== 'GET' && auth === 'viewer').map(([name]) => name);
    expect(changing).toEqual(['logout', 'changeOwnPassword']);
  });
});

describe('texts that go to servers, stores and screens', () => {
  const endpoint = { name: 'e', url: 'http://h', accessKeyId: 'key', secretAccessKey: 'secret' };
  const refused = (input: object): string[] => {
    const issues = endpointInput.safeParse({ ...endpoint, ...input }).error?.issues ?? [];
    return [...new Set(issues.map(({ path }) => path.join('.')))];
  };

  it.each(['us-east-1', 'default', 'eu_1', 'zone:a'])('takes %j as a region', (region) => {
    expect(refused({ region })).toEqual([]);
  });

  it('refuses credentials and regions that no header can carry, or that came with a line break', () => {
    for (const text of ['a b', 'a\r\nx-evil: 1', 'key\n', 'ключ', '']) {
      expect(refused({ accessKeyId: text, region: text })).toEqual(['region', 'accessKeyId']);
    }
    for (const secretAccessKey of ['secret\n', ' secret', '']) {
      expect(refused({ secretAccessKey })).toEqual(['secretAccessKey']);
    }
  });

  it('refuses prefixes that no key can begin with', () => {
    const side = { endpointId: 'e', bucket: 'bucket' };
    for (const prefix of ['\ud800', 'é'.repeat(513)]) {
      const parsed = jobInput.safeParse({ name: 'j', source: { ...side, prefix }, target: { ...side, prefix } });
      expect(parsed.error?.issues.map(({ path }) => path.join('.'))).toEqual(['source.prefix', 'target.prefix']);
    }
    expect(jobInput.safeParse({ name: 'j', source: { ...side, prefix: 'é'.repeat(512) }, target: side }).success).toBe(
      true,
    );
  });

  it('refuses names with broken Unicode and line breaks of any kind', () => {
    for (const name of ['\ud800', 'a\u2028b', 'a\u0085b', 'a\nb'])
      expect(displayName.safeParse(name).success).toBe(false);
    for (const name of ['größe 数据 🌊', '<b>']) expect(displayName.parse(name)).toBe(name);
  });
});

import { describe, expect, it } from 'vitest';
import { checkDefinition, QuotaError, type QuotaDefinition, type StoreProfile } from '../../src/index.ts';
import { World } from '../world.ts';

const exact: StoreProfile = new World().memory().profile;
const lossy: StoreProfile = { ...exact, capability: 'opaque', mechanism: 'read-modify-write', exact: false };
const good: QuotaDefinition = { id: 'api', limit: 100, period: 'day' };

/** The problems with a definition; untyped, because configuration files are. */
function problems(changes: Record<string, unknown>): readonly string[] {
  try {
    checkDefinition({ ...good, ...changes }, exact);
    return [];
  } catch (error) {
    if (error instanceof QuotaError && error.code === 'invalid-quota') return error.problems;
    throw error;
  }
}

describe('a definition', () => {
  it('has documented defaults', () => {
    expect(checkDefinition(good, exact)).toMatchObject({
      length: { unit: 'day', count: 1 },
      marginMs: 8_640_000,
      outage: 'closed',
      budgetMs: 500,
      denyRecheckMs: 1_000,
      lease: 0,
      shadow: false,
      storeClock: false,
      ipv6Prefix: undefined,
      reservationMs: undefined,
    });
    expect(checkDefinition({ ...good, subjects: 'address' }, exact).ipv6Prefix).toBe(64);
  });

  it.each([
    ['id', ''],
    ['id', undefined],
    ['id', 'x'.repeat(65)],
    ['limit', -1],
    ['limit', 1.5],
    ['limit', Number.NaN],
    ['limit', 2 ** 53],
    ['limit', '100'],
    ['period', 'year'],
    ['period', undefined],
    ['period', null],
    ['period', { unit: 'day', count: 0 }],
    ['period', { unit: 'day', count: 1.5 }],
    ['period', { unit: 'hour', count: 169 }],
    ['period', { unit: 'month', count: 1_000 }],
    ['zone', 'Mars/Olympus'],
    ['marginMs', 0],
    ['marginMs', -1],
    ['marginMs', 999],
    ['marginMs', 86_400_001],
    ['marginMs', Number.NaN],
    ['clock', 'sundial'],
    ['accuracy', 'good'],
    ['shadow', 'yes'],
    ['subjects', 'ip'],
    ['ipv6Prefix', 0],
    ['ipv6Prefix', 129],
    ['outage', 'panic'],
    ['outage', 'local-share'],
    ['budgetMs', 0],
    ['budgetMs', 60_001],
    ['servers', 0],
    ['lease', 0],
    ['lease', 101],
    ['denyRecheckMs', -1],
    ['denyRecheckMs', Number.NaN],
    ['reservationMs', 10],
    ['reservationMs', 86_400_001],
    ['limits', 100],
  ])('is refused for %s = %j, with a problem that names the setting', (name, value) => {
    const found = problems({ [name]: value });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(name === 'limits' ? '"limits"' : name === 'zone' ? 'time zone' : name);
  });

  it('is told everything that is wrong with it at once', () => {
    const found = problems({ id: '', limit: -1, period: 'year', zone: 'x', marginMs: 0, outage: 'panic', typo: 1 });
    expect(found).toHaveLength(7);
  });

  it('is refused on a store that loses updates, unless it says that it accepts that', () => {
    expect(() => checkDefinition(good, lossy)).toThrow(expect.objectContaining({ code: 'store-refused' }));
    expect(checkDefinition({ ...good, accuracy: 'approximate' }, lossy).id).toBe('api');
  });
});

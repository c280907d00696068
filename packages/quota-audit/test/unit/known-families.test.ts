import { counterKey, keyPrefix, companionKey, periodAt, zoneNamed, type PeriodUnit } from '@weir/quota';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recognise } from '../../src/names/recognise.ts';
import type { CounterName } from '../../src/names/counter-name.ts';
import { NOW_MS } from '../support/judging.ts';

const how = { nowMs: NOW_MS, claimed: [] };

function nameOf(key: string): CounterName | undefined {
  const read = recognise(key, how);
  return read?.is === 'counter' ? read.name : undefined;
}

const minuteMs = Math.floor(NOW_MS / 60_000) * 60_000;

describe('key shapes of limiters', () => {
  const shapes: [key: string, family: string, subject: string][] = [
    ['rlflx:10.0.0.1', 'rate-limiter-flexible (rlflx:)', '10.0.0.1'],
    ['shop:rlflx:user-1', 'rate-limiter-flexible (rlflx:)', 'user-1'],
    ['fastify-rate-limit-127.0.0.1', '@fastify/rate-limit (fastify-rate-limit-)', '127.0.0.1'],
    ['fastify-rate-limit-GET/items-::1', '@fastify/rate-limit (fastify-rate-limit-)', 'GET/items-::1'],
    ['rl:10.0.0.1', 'rl:', '10.0.0.1'],
    [':1:rl:0cc175b9c0f1b6a831c399e269772661', 'rl:', '0cc175b9c0f1b6a831c399e269772661'],
    ['throttle:login:bob', 'throttle:', 'login:bob'],
    ['LIMITS:LIMITER/10.0.0.1/index/10/1/minute', 'Python limits (LIMITER/)', '10.0.0.1/index'],
    ['LIMITER/10.0.0.1/index/10/1/minute', 'Python limits (LIMITER/)', '10.0.0.1/index'],
    [`@upstash/ratelimit:u1:${minuteMs / 60_000}`, '@upstash/ratelimit', 'u1'],
    [`rack::attack:${minuteMs / 60_000}:req/ip:10.0.0.1`, 'Rack::Attack (rack::attack)', 'req/ip:10.0.0.1'],
    [`cache:rack::attack:g2:${minuteMs / 60_000}:x:y`, 'Rack::Attack (rack::attack)', 'x:y'],
    [
      'namespace:{shop},counter:{"limit":{"namespace":"shop","seconds":60},"set_variables":{"user":"7"}}',
      'Limitador (namespace:{…})',
      'shop "user":"7"',
    ],
    [`ratelimit:r1:s1:10.0.0.1:${minuteMs}:minute`, 'Kong (ratelimit:)', '10.0.0.1'],
    ['request_rate_limiter.{u1}.tokens', 'Spring Cloud Gateway (request_rate_limiter)', 'u1'],
  ];

  it.each(shapes)('knows %s', (key, family, subject) => {
    expect(nameOf(key)).toMatchObject({ family, subject, evidence: 'known' });
  });

  it('reads the window out of names that hold its number, its start or its length', () => {
    const period = { startMs: minuteMs, endMs: minuteMs + 60_000, civil: false };
    expect(nameOf(`@upstash/ratelimit:u1:${minuteMs / 60_000}`)?.period).toEqual(period);
    expect(nameOf(`rack::attack:${minuteMs / 60_000}:req/ip:10.0.0.1`)?.period).toEqual(period);
    expect(nameOf(`ratelimit:r1:s1:10.0.0.1:${minuteMs}:minute`)?.period).toEqual(period);
    expect(nameOf('LIMITS:LIMITER/u/10/15/minute')?.windowMs).toBe(900_000);
    expect(nameOf('namespace:{a},counter:{"seconds":60}')?.windowMs).toBe(60_000);
  });

  it('takes nothing else that a limiter writes for a counter', () => {
    const companions = [
      'namespace:{shop},counters_of_limit:{"namespace":"shop"}',
      'rack::attack:allow2ban:ban:10.0.0.1',
      'rack::attack:generation',
      '@upstash/ratelimit:events:1764511200',
      '@upstash/ratelimit:u1',
      'LIMITER/10.0.0.1/index/10/1/minute/expires',
      'request_rate_limiter.{u1}.timestamp',
      companionKey(keyPrefix('api', 'u1'), 'once', 'k'),
      companionKey(keyPrefix('api', 'u1'), 'holds', '2026-10-15'),
    ];
    expect(companions.map((key) => recognise(key, how)?.is)).toEqual(companions.map(() => 'companion'));
  });

  it('knows every counter of Weir with its quota, subject and period', () => {
    const units: readonly PeriodUnit[] = ['second', 'minute', 'hour', 'day', 'week', 'month'];
    fc.assert(
      fc.property(
        // Short enough that the key holds them whole.
        fc.string({ minLength: 1, maxLength: 3, unit: 'binary' }),
        fc.string({ minLength: 1, maxLength: 6, unit: 'binary' }),
        fc.constantFrom(...units),
        (quota, subject, unit) => {
          const { id, startMs, endMs } = periodAt({ unit, count: 1 }, zoneNamed('UTC'), NOW_MS);
          expect(nameOf(counterKey(quota, subject, id))).toMatchObject({
            family: `Weir, quota ${quota}`,
            subject,
            period: { startMs, endMs, civil: false },
          });
        },
      ),
    );
  });

  it('does not read names longer than any limiter writes, however they are made', () => {
    expect(recognise(`rlflx:${'a'.repeat(2_100)}`, how)).toBeUndefined();
    expect(recognise('ratelimit:a:b:'.repeat(100_000), how)).toBeUndefined();
  });

  it('takes what the user claims, with the period in its name', () => {
    const read = recognise('hit/u1/2026-10-14', { nowMs: NOW_MS, claimed: ['hit/*'] });
    expect(read).toMatchObject({
      is: 'counter',
      name: { family: 'hit/*', evidence: 'claimed', period: { endMs: Date.UTC(2026, 9, 15) } },
    });
  });
});

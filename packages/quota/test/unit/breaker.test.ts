import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Breaker, BREAKER_COOLDOWN_MS, BREAKER_FAILURES, BREAKER_MAX_COOLDOWN_MS } from '../../src/breaker.ts';

function broken(random = 1): Breaker {
  const breaker = new Breaker();
  for (let failure = 0; failure < BREAKER_FAILURES; failure++) breaker.failed(0, random);
  return breaker;
}

describe('the breaker', () => {
  it('opens after five failures in a row, not after five in all', () => {
    const breaker = new Breaker();
    for (let failure = 0; failure < 4; failure++) expect(breaker.failed(0, 0.5)).toBe(false);
    breaker.succeeded();
    for (let failure = 0; failure < 4; failure++) expect(breaker.failed(0, 0.5)).toBe(false);
    expect(breaker.admits(0)).toBe(true);
    expect(breaker.failed(0, 0.5)).toBe(true);
    expect(breaker.admits(0)).toBe(false);
  });

  it('lets one trial through after the cooldown; its success closes, its failure doubles the cooldown', () => {
    const breaker = broken();
    expect(breaker.admits(BREAKER_COOLDOWN_MS - 1)).toBe(false);
    expect(breaker.admits(BREAKER_COOLDOWN_MS)).toBe(true);
    expect(breaker.admits(BREAKER_COOLDOWN_MS)).toBe(false);
    breaker.failed(BREAKER_COOLDOWN_MS, 1);
    expect(breaker.retryInMs(BREAKER_COOLDOWN_MS)).toBe(2 * BREAKER_COOLDOWN_MS);
    expect(breaker.admits(3 * BREAKER_COOLDOWN_MS)).toBe(true);
    expect(breaker.succeeded()).toBe(true);
    expect([breaker.state, breaker.admits(0)]).toEqual(['closed', true]);
  });

  it('never waits longer than its longest cooldown, also when the clock is set back or the trials fail for ever', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 40 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.integer(),
        (failures, random, shift) => {
          const breaker = broken(random);
          let nowMs = 0;
          for (let failure = 0; failure < failures; failure++) {
            nowMs += breaker.retryInMs(nowMs);
            expect(breaker.admits(nowMs)).toBe(true);
            breaker.failed(nowMs, random);
          }
          expect(breaker.retryInMs(nowMs)).toBeLessThanOrEqual(BREAKER_MAX_COOLDOWN_MS);
          const later = nowMs + shift;
          expect(breaker.retryInMs(later)).toBeLessThanOrEqual(BREAKER_MAX_COOLDOWN_MS);
          expect(breaker.admits(later) || breaker.admits(later + breaker.retryInMs(later))).toBe(true);
        },
      ),
    );
  });
});

import { ApiError, NetworkError } from '@weir/client';
import { describe, expect, it, vi } from 'vitest';
import { ConnectionMonitor } from '../../src/data/connection.ts';
import { ConsoleClock } from '../../src/data/console-clock.ts';

const unreachable = new NetworkError('unreachable', 'x');
const refused = new ApiError({ code: 'forbidden', status: 403, message: 'x' });
const starting = new ApiError({ code: 'unavailable', status: 503, message: 'x' });

describe('the connection', () => {
  it('keeps the moment of the first failure and of the last answer', () => {
    let now = 1_000;
    const connection = new ConnectionMonitor(() => now);
    connection.answered();
    now = 2_000;
    connection.failed(unreachable);
    now = 9_000;
    connection.failed(starting);
    expect(connection.state()).toEqual({ failingSinceMs: 2_000, lastAnswerAtMs: 1_000, error: starting });
  });

  it('is good again with the first answer', () => {
    let now = 1_000;
    const connection = new ConnectionMonitor(() => now);
    connection.failed(unreachable);
    now = 5_000;
    connection.answered();
    expect(connection.state()).toEqual({ failingSinceMs: null, lastAnswerAtMs: 5_000, error: null });
  });

  it('counts a refusal as an answer', () => {
    const connection = new ConnectionMonitor(() => 7);
    connection.failed(refused);
    expect(connection.state()).toMatchObject({ failingSinceMs: null, lastAnswerAtMs: 7 });
  });

  it('tells listeners of changes only, not of each answer', () => {
    const connection = new ConnectionMonitor(() => 1);
    const listener = vi.fn<() => void>();
    const stop = connection.subscribe(listener);
    connection.answered();
    connection.answered();
    expect(listener).not.toHaveBeenCalled();
    connection.failed(unreachable);
    connection.answered();
    expect(listener).toHaveBeenCalledTimes(2);
    stop();
    connection.failed(unreachable);
    expect(listener).toHaveBeenCalledTimes(2);
  });
});

describe("the console's clock", () => {
  const local = Date.parse('2026-11-30T12:00:00.000Z');

  it('follows the console when the clocks differ', () => {
    const clock = new ConsoleClock(() => local);
    clock.observe('Mon, 30 Nov 2026 12:05:00 GMT');
    expect(clock.now()).toBe(local + 300_500);
    expect(clock.fromLocal(local - 1_000)).toBe(local + 299_500);
  });

  it('is the local one when the difference is within what a header can tell', () => {
    const clock = new ConsoleClock(() => local);
    clock.observe('Mon, 30 Nov 2026 12:00:01 GMT');
    expect(clock.now()).toBe(local);
  });

  it('ignores a missing or unreadable header', () => {
    const clock = new ConsoleClock(() => local);
    clock.observe('Mon, 30 Nov 2026 12:05:00 GMT');
    clock.observe(null);
    clock.observe('yesterday');
    expect(clock.now()).toBe(local + 300_500);
  });
});

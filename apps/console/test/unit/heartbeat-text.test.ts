import { heartbeatResponse, type HeartbeatResponse } from '@weir/protocol';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { heartbeatText } from '../../src/http/heartbeat-text.ts';

const positive = fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true });
const whole = fc.nat();
const grant = fc.record(
  {
    epoch: fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,63}$/),
    windowNumber: fc.integer({ min: 1 }),
    windowSeconds: positive,
    allocatedTps: positive,
    creditBudget: whole,
    validSeconds: positive,
  },
  { requiredKeys: ['epoch', 'windowNumber', 'windowSeconds', 'allocatedTps', 'creditBudget'] },
);
const limiter = fc.record(
  {
    mode: fc.constantFrom('enforced' as const, 'off' as const),
    settingsVersion: whole,
    chargedTypes: fc.subarray(['LIST', 'GET', 'PUT', 'DELETE'] as const),
    costModel: fc.constantFrom('per-object' as const, 'per-request' as const),
    pacing: fc.record({ burstSeconds: positive }),
    reportChanges: fc.boolean(),
    safeTps: positive,
  },
  { requiredKeys: ['mode', 'settingsVersion', 'chargedTypes'] },
);
const answer = fc.record(
  {
    limiter,
    grant: fc.option(grant),
    nextHeartbeatSeconds: positive,
    consoleTimeMs: whole,
    protocolVersion: fc.integer({ min: 1 }),
  },
  { requiredKeys: ['limiter', 'grant', 'nextHeartbeatSeconds', 'consoleTimeMs'] },
);

test('an answer that is written out says what the schema says, in ASCII', () => {
  fc.assert(
    fc.property(answer, (said) => {
      const expected: HeartbeatResponse = heartbeatResponse.parse(JSON.parse(JSON.stringify(said)));
      // Twice: the second time the instructions are known.
      for (const text of [heartbeatText(said), heartbeatText(said)]) {
        expect(JSON.parse(text)).toEqual(expected);
        expect(Buffer.byteLength(text)).toBe(text.length);
      }
    }),
  );
});

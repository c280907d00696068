import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TransferMeter } from '../../../src/fetch/index.ts';

test('what was counted is taken exactly once, and lengths that are none count nothing', () => {
  const length = fc.oneof(fc.nat(), fc.constantFrom(-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY));
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom('read', 'wrote'), bytes: length }),
    fc.constant({ kind: 'take' as const, bytes: 0 }),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const meter = new TransferMeter();
      const taken = { bytesRead: 0, bytesWritten: 0 };
      const take = () => {
        const { bytesRead, bytesWritten } = meter.take();
        taken.bytesRead += bytesRead;
        taken.bytesWritten += bytesWritten;
      };
      for (const { kind, bytes } of steps) {
        if (kind === 'take') take();
        else if (kind === 'read') meter.read(bytes);
        else meter.wrote(bytes);
      }
      take();
      const sum = (kind: string) =>
        steps.reduce(
          (total, each) =>
            total + (each.kind === kind && Number.isSafeInteger(each.bytes) && each.bytes > 0 ? each.bytes : 0),
          0,
        );
      expect(taken).toEqual({ bytesRead: sum('read'), bytesWritten: sum('wrote') });
    }),
  );
});

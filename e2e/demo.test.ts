import { describe, expect, it } from 'vitest';
import { demoObjects, LARGE_OBJECT_BYTES } from '../apps/cli/src/demo/dataset.ts';
import { weir } from './fixtures/weir-command.ts';

describe('weir demo --exit-when-done --json', () => {
  it('copies 5,000 objects, empty and multipart ones among them, under a limit that parks, byte-identical', async () => {
    const objects = [...demoObjects(5_000)];
    const bytes = objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const args = ['--objects', '5000', '--limit', '250', '--window-seconds', '3'];

    const { code, out, err } = await weir(['demo', '--exit-when-done', '--json', ...args], { timeoutMs: 240_000 });

    expect(err).toBe('');
    const result: unknown = JSON.parse(out);
    expect(result).toMatchObject({ objectsCopied: 5_000, bytesCopied: bytes, failed: 0, equal: true });
    expect(bytes).toBeGreaterThan(LARGE_OBJECT_BYTES);
    // 5,000 charges at 250 TPS take at least 20 s, so more than six windows of the busiest agent alone.
    expect(result).toHaveProperty(
      'windows',
      expect.toSatisfy((windows: number) => windows > 6),
    );
    expect(result).toHaveProperty(
      'maxWindowChargePercent',
      expect.toSatisfy((percent: number) => percent <= 100),
    );
    // The budget was really used up: a limit that never parks would prove nothing.
    expect(result).toHaveProperty(
      'maxWindowChargePercent',
      expect.toSatisfy((percent: number) => percent > 95),
    );
    expect(code).toBe(0);
  });
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManifestGame, move } from './manifest-game.ts';

test('the chains name each object once, in order, and count what the counters count, whatever is killed, lost or late', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 150 }),
      fc.array(move, { minLength: 20, maxLength: 80, size: 'max' }),
      async (objects, moves) => {
        const game = new ManifestGame(objects);
        for (const each of moves) await game.play(each);
        await game.finish();
        for (const shard of game.shards) game.check(shard);
        expect(game.shards.reduce((sum, { manifest }) => sum + (manifest?.entries ?? 0), 0)).toBe(objects);
        const failed = game.shards.reduce((sum, { totals }) => sum + totals.objectsFailed, 0);
        expect(game.target.objects.size).toBeGreaterThanOrEqual(objects - failed);
      },
    ),
    { numRuns: 60 },
  );
}, 120_000);

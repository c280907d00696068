import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { QueueGame, step } from '../support/queue-game.ts';
import { TestConsole } from '../support/test-console.ts';

test('no shard is held by two agents, and no key range is lost, whatever agents, operators and time do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const console = await TestConsole.start();
      try {
        const agents = [await console.agent('a'), await console.agent('b'), await console.agent('c')];
        const game = new QueueGame(console, agents, await console.job());
        for (const move of steps) {
          await game.play(move);
          await game.check();
        }
        await game.checkFencing();
        expect((await game.finish()).state).toBe('completed');
      } finally {
        await console.stop();
      }
    }),
    { numRuns: 100 },
  );
});

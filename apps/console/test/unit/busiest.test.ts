import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Busiest } from '../../src/fleet/busiest.ts';

test('the busiest of a list are what sorting the whole list would give', () => {
  const list = fc.array(fc.record({ id: fc.nat(), tps: fc.integer({ min: 0, max: 50 }) }), { maxLength: 400 });
  fc.assert(
    fc.property(list, fc.integer({ min: 1, max: 40 }), (agents, max) => {
      const expected = [...agents].sort((a, b) => b.tps - a.tps).slice(0, max);
      const busiest = new Busiest<(typeof agents)[number]>(max);
      for (const agent of agents) busiest.add(agent, agent.tps);
      expect(busiest.list).toEqual(expected);
    }),
  );
});

import { agentQuery } from '@weir/protocol';
import { expect, it } from 'vitest';
import { listedAgents } from '../../src/data/agent-list.ts';
import { listedAgents as answerOf } from '../fixture/agents.ts';
import { SCENARIOS } from '../fixture/scenarios.ts';

const agents = SCENARIOS['thousands']?.(1_800_000_000_000).agents ?? [];

it('totals and matches are those that the console says', () => {
  const listed = listedAgents(answerOf(agents, agentQuery.parse({ revoked: 'false' })));
  expect(listed.agents).toHaveLength(2_000);
  expect(listed.matchingAgents).toBe(5_000);
  expect(listed.totals).toMatchObject({ registeredAgents: 5_000, revokedAgents: 200 });
});

it('an older console sends all agents: the totals are counted in them', () => {
  const { totals } = answerOf(agents, agentQuery.parse({}));
  const older = listedAgents({ agents });
  expect(older).toEqual({ agents, matchingAgents: 5_200, totals });
  expect(older.totals.olderProtocol).toEqual({ agents: expect.any(Number), oldestVersion: 1 });
  expect(listedAgents({ agents: [] }).totals).toMatchObject({ registeredAgents: 0, olderProtocol: null });
});

import type { AgentView } from '@weir/protocol';
import { expect, it } from 'vitest';
import { filterAgents, sortAgents, type AgentSortKey } from '../../src/pages/agents/sort-agents.ts';
import { SCENARIOS } from '../fixture/scenarios.ts';

const agents: AgentView[] = (SCENARIOS['mixed']?.(1_800_000_000_000).agents ?? []).map((agent, index) => ({
  ...agent,
  revoked: index === 0,
}));

function names(key: AgentSortKey, descending = false): string[] {
  return sortAgents(agents, { key, descending }).map((agent) => agent.name);
}

it('agents are in order of their names, or of any column, in both directions', () => {
  expect(names('name')).toEqual(['copy-ams-1', 'copy-ams-2', 'copy-fra-1', 'copy-fra-2', 'copy-old-1', 'copy-spare-1']);
  expect(names('name', true)).toEqual(names('name').toReversed());
  expect(names('tps', true)[0]).toBe('copy-ams-1');
  expect(names('holdoffs', true)[0]).toBe('copy-ams-2');
  expect(names('heartbeat')[0]).toBe('copy-spare-1');
  expect(names('version')[0]).toBe('copy-old-1');
});

it('sorted by status those come first that need a look, revoked ones last', () => {
  expect(names('status')).toEqual([
    'copy-ams-2',
    'copy-old-1',
    'copy-ams-1',
    'copy-fra-2',
    'copy-spare-1',
    'copy-fra-1',
  ]);
});

it('a filter leaves agents whose name or host contains it, in any case, and revoked ones only when they are wanted', () => {
  const found = (filter: string, revoked: boolean) => filterAgents(agents, filter, revoked).map(({ name }) => name);
  expect(found(' AMS-', false)).toEqual(['copy-ams-1', 'copy-ams-2']);
  expect(found('fra-1.storage', false)).toEqual([]);
  expect(found('fra-1.storage', true)).toEqual(['copy-fra-1']);
  expect(found('', true)).toHaveLength(agents.length);
  expect(found('1 copy', true)).toEqual([]);
});

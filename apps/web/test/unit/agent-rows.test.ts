import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrangeRows, type RowSortKey } from '../../src/pages/monitor/agent-rows.ts';
import { monitorOf } from '../fixture/fleet.ts';

const { rows } = monitorOf(
  [
    { name: 'agent-10', allocatedTps: 100, actualTps: 50 },
    { name: 'agent-2', allocatedTps: 300, actualTps: 20 },
    { name: 'old', allocatedTps: 0, actualTps: 400, throttled: false },
    { name: 'resting', allocatedTps: 200, actualTps: 0, status: 'idle', holdoffMs: 60_000 },
    { name: 'away', allocatedTps: 10, actualTps: 0, status: 'idle', online: false },
  ],
  { nowMs: 1_700_000_000_000, globalLimitTps: 1_000 },
);

function names(key: RowSortKey, descending = false, filter = ''): string[] {
  return arrangeRows(rows, { key, descending }, filter).map((row) => row.name);
}

describe('the rows of the monitor', () => {
  it('are in order of their names, numbers by value', () => {
    expect(names('name')).toEqual(['agent-2', 'agent-10', 'away', 'old', 'resting', 'console']);
  });

  it('sort by each figure in both directions', () => {
    expect(names('actual', true)).toEqual(['old', 'agent-10', 'agent-2', 'away', 'resting', 'console']);
    expect(names('allocated', true)).toEqual(['agent-2', 'resting', 'agent-10', 'away', 'old', 'console']);
    expect(names('efficiency', true).slice(0, 2)).toEqual(['agent-10', 'agent-2']);
    expect(names('mbps', true)[0]).toBe('old');
  });

  it('sorted by status show first what needs a look', () => {
    expect(names('status')).toEqual(['resting', 'old', 'agent-2', 'agent-10', 'away', 'console']);
  });

  it('keep the row of the console last in every order', () => {
    const keys: RowSortKey[] = ['name', 'status', 'allocated', 'actual', 'efficiency', 'mbps'];
    fc.assert(
      fc.property(fc.constantFrom(...keys), fc.boolean(), (key, descending) => {
        expect(names(key, descending).at(-1)).toBe('console');
      }),
    );
  });

  it('are filtered by a part of the name, whatever its case', () => {
    expect(names('name', false, ' AGENT ')).toEqual(['agent-2', 'agent-10']);
    expect(names('name', false, 'nobody')).toEqual([]);
  });

  it('are not changed by sorting: the answer of the console stays as it is', () => {
    const before = rows.map((row) => row.name);
    names('actual', true);
    expect(rows.map((row) => row.name)).toEqual(before);
  });
});

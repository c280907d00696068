import { describe, expect, it } from 'vitest';
import { formatBytes, formatCount, formatDuration, formatPercent } from '../../src/output/figures.ts';
import { renderBar } from '../../src/output/progress.ts';
import { renderTable } from '../../src/output/table.ts';

describe('figures on a terminal', () => {
  it('groups thousands and keeps one decimal of a percentage', () => {
    expect(formatCount(7832)).toBe('7,832');
    expect(formatPercent(97.25)).toBe('97.3 %');
  });

  it('names binary units and stays in bytes below 1 KiB', () => {
    expect(formatBytes(1_023)).toBe('1,023 B');
    expect(formatBytes(142_606_336)).toBe('136.0 MiB');
  });

  it('says durations in the two largest units', () => {
    expect([formatDuration(45_000), formatDuration(200_000), formatDuration(7_500_000)]).toEqual([
      '45 s',
      '3 min 20 s',
      '2 h 5 min',
    ]);
  });

  it('clips a bar at both ends', () => {
    expect([renderBar(-1, 4), renderBar(0.5, 4), renderBar(2, 4)]).toEqual(['[░░░░]', '[██░░]', '[████]']);
  });

  it('aligns the columns of a table and leaves no trailing space', () => {
    const columns = [
      { title: 'name', align: 'left' as const },
      { title: 'tps', align: 'right' as const },
      { title: 'note', align: 'left' as const },
    ];
    expect(
      renderTable(columns, [
        ['a', '10', ''],
        ['agent-1', '5', 'x'],
      ]),
    ).toEqual(['name     tps  note', 'a         10', 'agent-1    5  x']);
  });
});

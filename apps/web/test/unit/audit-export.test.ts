import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditCsv, auditJson, csvField, exportName } from '../../src/pages/audit-log/audit-export.ts';
import { filterOf, NO_FILTER } from '../../src/pages/audit-log/audit-filter.ts';

const ENTRY = {
  entry: 7,
  atMs: Date.parse('2026-11-30T14:03:00Z'),
  actor: 'maria',
  action: 'endpoint.create',
  subject: 'end_1',
  address: '192.0.2.7',
  detail: { name: 'Frankfurt, "old"', port: 9_021 },
  changes: [],
};

/** Reads one line of CSV back, as RFC 4180 says. */
function readLine(line: string): string[] {
  const fields: string[] = [];
  const pattern = /(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g;
  for (const [, quoted, plain] of line.matchAll(pattern)) fields.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
  return fields;
}

describe('the export of the audit log', () => {
  it('is CSV with a line of names and one line for each entry', () => {
    const [names, first, ...rest] = auditCsv([ENTRY]).split('\r\n');
    expect(names).toBe('entry,time,actor,action,subject,address,detail,changes');
    expect(readLine(first ?? '')).toEqual([
      '7',
      '2026-11-30T14:03:00.000Z',
      'maria',
      'endpoint.create',
      'end_1',
      '192.0.2.7',
      'name=Frankfurt, "old", port=9021',
      '',
    ]);
    expect(rest).toEqual(['']);
  });

  it('names each field that was changed with its old and new value', () => {
    const changes = [
      { field: 'globalLimitTps', before: 10_000, after: 8_000 },
      { field: 'limitSchedule.timeZone', before: null, after: 'UTC' },
      { field: 'enabled', before: true, after: false },
    ];
    const line = readLine(auditCsv([{ ...ENTRY, detail: {}, changes }]).split('\r\n')[1] ?? '');
    expect(line.slice(-2)).toEqual([
      '',
      'globalLimitTps: 10000 → 8000; limitSchedule.timeZone: none → UTC; enabled: true → false',
    ]);
  });

  it('brings every text back, and none that a spreadsheet would compute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const [back = ''] = readLine(csvField(text));
        expect(back.replace(/^'/, '')).toBe(text.replace(/^'/, ''));
        expect(back).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });

  it('is JSON with readable times', () => {
    expect(JSON.parse(auditJson([ENTRY]))).toEqual([{ ...ENTRY, time: '2026-11-30T14:03:00.000Z' }]);
    expect(exportName(ENTRY.atMs, 'csv')).toBe('audit-log-2026-11-30.csv');
  });
});

describe('the filter of the audit log', () => {
  it('asks for nothing while nothing was entered', () => {
    expect(filterOf(NO_FILTER)).toEqual({});
    expect(filterOf({ ...NO_FILTER, text: '  ', from: 'x' })).toEqual({});
  });

  it('includes both days, from midnight to midnight of the viewer', () => {
    const { fromMs = 0, toMs = 0 } = filterOf({ ...NO_FILTER, from: '2026-11-29', to: '2026-11-30' });
    expect(new Date(fromMs)).toEqual(new Date(2026, 10, 29));
    expect(new Date(toMs + 1)).toEqual(new Date(2026, 11, 1));
  });
});

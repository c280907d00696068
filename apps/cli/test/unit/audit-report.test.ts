import type { AuditReport } from '@weir/quota-audit';
import { describe, expect, it } from 'vitest';
import { printable, renderAudit } from '../../src/commands/audit-report.ts';

const nothing: AuditReport = {
  atMs: 0,
  keys: { listed: 10, counters: 4, companions: 0, leaving: 0 },
  findings: {
    keys: 0,
    undated: { keys: 0, bytes: 0 },
    ended: { keys: 0, bytes: 0 },
    tooLong: 0,
    negative: 0,
    notNumbers: 0,
  },
  waste: { keys: 0, bytes: 0 },
  growth: { days: 0, keysPerDay: 0, bytesPerDay: 0, series: [], ageless: 0 },
  projection: [],
  families: [],
  subjects: [],
  unjudged: [],
};

const about = { address: 'redis://h', kind: 'redis', tookMs: 1_500 };

describe('the report of an audit', () => {
  it('says so when nothing was found, and does not speak of repairs', () => {
    const text = renderAudit(nothing, about, 80).join('\n');
    expect(text).toContain('redis://h: 10 keys, 4 of them counters, in 2 s');
    expect(text).toContain('Nothing found');
    expect(text).not.toContain('--fix');
  });

  it('shows findings, waste, growth with its line, projection, families and subjects', () => {
    const family = {
      family: 'rate-limiter-flexible (rlflx:)',
      evidence: 'known',
      counters: 4,
      bytes: 400,
      undated: 2,
      ended: 0,
      tooLong: 0,
      negative: 0,
      notNumbers: 0,
      found: 2,
      wastedBytes: 200,
      examples: ['rlflx:u1'],
    } as const;
    const lines = renderAudit(
      {
        ...nothing,
        findings: { ...nothing.findings, keys: 2, undated: { keys: 2, bytes: 2_048 } },
        waste: { keys: 2, bytes: 2_048 },
        growth: { days: 2, keysPerDay: 1, bytesPerDay: 1_024, series: [0, 2], ageless: 1 },
        projection: [{ days: 30, keys: 32, bytes: 32_768 }],
        families: [family],
        subjects: [{ family: family.family, subject: 'u1', keys: 2, missed: 3 }],
        unjudged: [{ names: 'n:*', keys: 9, numbers: 1, undated: 0.5 }],
      },
      about,
      100,
    );
    const text = lines.join('\n');
    expect(text).toMatch(/^undated +2 +2\.0 KiB +no deadline/m);
    expect(text).toMatch(/^wasted now +2 keys, 2\.0 KiB$/m);
    expect(text).toMatch(/^growth +1 keys, 1\.0 KiB a day +▁█ +last 2 days$/m);
    expect(text).toMatch(/^projection +32\.0 KiB in 30 days$/m);
    expect(text).toMatch(/^rate-limiter-flexible \(rlflx:\) +4 +2 +0 .*rlflx:u1$/m);
    expect(text).toMatch(/^u1 +rate-limiter-flexible \(rlflx:\) +2–5$/m);
    expect(text).toMatch(/^n:\* +9 +100\.0 % +50\.0 %$/m);
    expect(text).not.toMatch(/^negative/m);
  });

  it('lets nothing in a key speak to the terminal', () => {
    expect(printable('a\u001b[2Jb\r\n\u202ec')).toBe('a·[2Jb···c');
    expect(printable('x'.repeat(100))).toHaveLength(48);
  });
});

import type { AuditFamily, AuditReportView } from '@weir/protocol';
import type { AuditReport, FamilyReport } from '@weir/quota-audit';

/** Families that are kept and shown at most; those with most findings come first. */
const MAX_FAMILIES = 100;

/** The part of a report that pages show. */
export function reportView({
  keys,
  findings,
  waste,
  growth,
  projection,
  families,
  subjects,
}: AuditReport): AuditReportView {
  return {
    keys: { listed: keys.listed, counters: keys.counters, leaving: keys.leaving },
    findings: {
      keys: findings.keys,
      undated: { ...findings.undated },
      ended: { ...findings.ended },
      tooLong: findings.tooLong,
      negative: findings.negative,
      notNumbers: findings.notNumbers,
    },
    waste: { ...waste },
    growth: {
      days: growth.days,
      keysPerDay: growth.keysPerDay,
      bytesPerDay: growth.bytesPerDay,
      series: [...growth.series],
    },
    projection: projection.map((each) => ({ ...each })),
    families: families.slice(0, MAX_FAMILIES).map(familyView),
    subjects: subjects.map(({ family, subject, keys: wasted }) => ({ family, subject, keys: wasted })),
  };
}

function familyView(family: FamilyReport): AuditFamily {
  const { counters, undated, ended, tooLong, negative, notNumbers, found, wastedBytes, examples } = family;
  return {
    family: family.family,
    counters,
    undated,
    ended,
    tooLong,
    negative,
    notNumbers,
    found,
    wastedBytes,
    example: examples[0] ?? null,
  };
}

/** How one check went. */
export type FindingStatus = 'ok' | 'warn' | 'fail';

/** One line of the doctor's report. */
export interface Finding {
  /** What was looked at, in a word that never changes: `node`, `clock`, `certificate`. */
  readonly check: string;
  /** Where: `this machine`, or an address without its password. */
  readonly target: string;
  readonly status: FindingStatus;
  /** What was found. */
  readonly found: string;
  /** What to do; absent when all is well. */
  readonly remedy?: string;
}

/** A finding before it is known where. */
export type Verdict = Omit<Finding, 'target'>;

export function ok(check: string, found: string): Verdict {
  return { check, status: 'ok', found };
}

export function warn(check: string, found: string, remedy: string): Verdict {
  return { check, status: 'warn', found, remedy };
}

export function fail(check: string, found: string, remedy: string): Verdict {
  return { check, status: 'fail', found, remedy };
}

/** The worst of all, as an exit code: 0 all is well, 1 warnings only, 2 something fails. */
export function exitCodeOf(findings: readonly Finding[]): 0 | 1 | 2 {
  if (findings.some(({ status }) => status === 'fail')) return 2;
  return findings.some(({ status }) => status === 'warn') ? 1 : 0;
}

const MARKS: Record<FindingStatus, string> = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' };

/** Lines for people: a group per target, the remedy under its finding. */
export function renderFindings(findings: readonly Finding[]): string[] {
  const lines: string[] = [];
  const width = Math.max(0, ...findings.map(({ check }) => check.length));
  let target: string | undefined;
  for (const finding of findings) {
    if (finding.target !== target) {
      if (target !== undefined) lines.push('');
      ({ target } = finding);
      lines.push(target);
    }
    lines.push(`  ${MARKS[finding.status]}  ${finding.check.padEnd(width)}  ${finding.found}`);
    if (finding.remedy !== undefined) lines.push(`${' '.repeat(width + 10)}→ ${finding.remedy}`);
  }
  const count = (status: FindingStatus): number => findings.filter((finding) => finding.status === status).length;
  lines.push('', `${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed`);
  return lines;
}

/** The message of whatever was thrown. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message || code || error.name;
}

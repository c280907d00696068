import type { Section } from './section.ts';
import { table } from './table.ts';

/** The last whole run of one suite. */
export interface Result {
  readonly section: Section;
  /** Day, `2026-11-30`. */
  readonly date: string;
  readonly minutes: number;
  /** Markdown: the machine, its programs, and how busy it was before. */
  readonly machine: string;
}

export function sectionText({ title, text }: Section): string {
  return `## ${title}\n\n${text}`;
}

/** One line per target. */
export function targetLines(sections: readonly Section[]): string {
  const rows = sections.flatMap(({ targets }) =>
    targets.map(({ text, wanted, measured, met }) => [text, wanted, measured, met ? 'met' : 'not met']),
  );
  return table(['target', 'wanted', 'measured', ''], rows);
}

/** The page that keeps the results. */
export function page(results: readonly Result[]): string {
  const sections = results.map(({ section, date, minutes, machine }) => {
    const [heading = '', ...rest] = sectionText(section).split('\n');
    return [heading, '', `${date}, one run of ${minutes.toFixed(1)} minutes:`, '', machine, ...rest].join('\n');
  });
  return `# Results of the benchmarks

Written by \`npm run bench\`. All figures of a section are of one run, peers included. Compare ratios, not absolute figures: these
depend on the machine and on what else it did.

## Targets

${targetLines(results.map(({ section }) => section))}

${sections.join('\n\n')}
`;
}

import { describeMachine } from './machine.ts';
import type { Section } from './section.ts';
import { table } from './table.ts';

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

/** The page that keeps the results of a whole run. */
export function page(sections: readonly Section[], date: Date, minutes: number): string {
  return `# Results of the benchmarks

Written by \`npm run bench\` on ${date.toISOString().slice(0, 10)}; all figures are of one run of ${minutes.toFixed(1)} minutes. Compare ratios, not
absolute figures: these depend on the machine and on what else it did.

${describeMachine()}

## Targets

${targetLines(sections)}

${sections.map(sectionText).join('\n\n')}
`;
}

import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { parseScenario, simulate, type SimulationResult } from '@weir/governor';
import { CommandError, EXIT_CODES } from '../output/command-error.ts';
import { formatCount, formatPercent } from '../output/figures.ts';
import { sparkline } from '../output/sparkline.ts';
import { renderTable } from '../output/table.ts';
import type { Terminal } from '../output/terminal.ts';

/** More agents than this are summed up in one column of the table; `--json` always has all. */
const AGENT_COLUMNS = 8;

/** `weir simulate FILE [--json]`: what the coordinator would do with the fleet that a scenario file describes. */
export async function simulateCommand(file: string, options: { json: boolean }, terminal: Terminal): Promise<number> {
  const parsed = parseScenario(await readScenario(file));
  if (!parsed.ok) {
    const problems = parsed.problems.map(
      ({ field, value, problem }) => `${field || '(file)'}: ${problem} (is ${value})`,
    );
    throw new CommandError('scenario-invalid', `${file} is not a scenario:\n  ${problems.join('\n  ')}`, {
      remedy: 'See "weir simulate --help" for an example of a scenario file.',
    });
  }
  const result = simulate(parsed.scenario);
  if (options.json) terminal.out(`${JSON.stringify(result)}\n`);
  else terminal.out(`${renderSimulation(result, terminal.columns).join('\n')}\n`);
  return EXIT_CODES.ok;
}

async function readScenario(file: string): Promise<unknown> {
  let text: string;
  try {
    text = file === '-' ? await readAll(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError('file-unreadable', `cannot read the scenario file ${file}`, {
      remedy: 'Name a JSON file that exists and that you may read, or - for standard input.',
      cause: error,
    });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError('file-not-json', `${file} is not valid JSON: ${reason}`, { cause: error });
  }
}

/** The result as a table per window and a sparkline of the budget used. */
export function renderSimulation(result: SimulationResult, columns: number): string[] {
  const ids = Object.keys(result.windows[0]?.allocatedTps ?? {});
  const shown = ids.slice(0, AGENT_COLUMNS);
  const rows = result.windows.map((window) => [
    String(window.index),
    ...shown.map((id) => formatCount(window.allocatedTps[id] ?? 0)),
    formatPercent(window.usedPercent),
    formatPercent(window.utilizationPercent),
    window.alarm ?? '',
  ]);
  const table = renderTable(
    [
      { title: 'window', align: 'right' },
      ...shown.map((id) => ({ title: id, align: 'right' as const })),
      { title: 'used', align: 'right' },
      { title: 'utilization', align: 'right' },
      { title: 'alarm', align: 'left' },
    ],
    rows,
  );
  const more = ids.length > shown.length ? [`(${ids.length - shown.length} more agents: see --json)`] : [];
  const used = result.windows.map((window) => window.usedPercent);
  return [
    'Allocated TPS per window',
    ...table,
    ...more,
    '',
    `budget used  ${sparkline(used, Math.max(10, columns - 30), 100)}  mean ${formatPercent(result.summary.meanUsedPercent)}`,
  ];
}

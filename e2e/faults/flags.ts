import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** Flags that take whole numbers: default, least, most. */
export type NumberFlags = Readonly<Record<string, readonly [number, number, number]>>;

/** What a script was told. */
export interface Flags<Names extends NumberFlags> {
  numbers: Record<keyof Names & string, number>;
  s3: 'bundled' | 'rgw';
  /** Empty when it was not given. */
  svg: string;
  json: boolean;
  help: boolean;
}

/**
 * Reads the command line of a script.
 * @throws RangeError that names flag, value and range; TypeError for a flag that there is not
 */
export function readFlags<Names extends NumberFlags>(ranges: Names): Flags<Names> {
  const { values } = parseArgs({
    options: {
      ...Object.fromEntries(Object.keys(ranges).map((name) => [name, { type: 'string' as const }])),
      s3: { type: 'string', default: 'bundled' },
      svg: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { s3, svg, json, help } = values;
  if (s3 !== 'rgw' && s3 !== 'bundled') throw new RangeError(`--s3 (${s3}) must be rgw or bundled`);
  const numbers = Object.fromEntries(
    Object.entries(ranges).map(([name, [fallback, least, most]]) => {
      const given: unknown = Reflect.get(values, name);
      const value = given === undefined ? fallback : Number(given);
      if (Number.isInteger(value) && value >= least && value <= most) return [name, value];
      throw new RangeError(`--${name} (${String(given)}) must be a whole number from ${least} to ${most}`);
    }),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one number for each name of the ranges
  return { numbers: numbers as Flags<Names>['numbers'], s3, svg, json, help };
}

/** What a script takes; told by `npm run <script> -- --help` before anything is built. */
export function usageOf(script: 'chaos' | 'soak'): string {
  return readFileSync(new URL(`../../scripts/usage/${script}.txt`, import.meta.url), 'utf8');
}

/** Statements with what was measured, as a table. */
export function tableOf(rows: readonly { ok: boolean; what: string; measured: string; bound: string }[]): string {
  const widthOf = (cell: 'what' | 'measured'): number => Math.max(0, ...rows.map((row) => row[cell].length));
  const [what, measured] = [widthOf('what'), widthOf('measured')];
  return rows
    .map((row) => `${row.ok ? '✓' : '✗'} ${row.what.padEnd(what)}  ${row.measured.padEnd(measured)}  ${row.bound}`)
    .join('\n');
}

/** Says something on standard error, which `--json` leaves free. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Runs a script: exit code 0 when everything held, 1 when something did not, 2 when it could not run. */
export async function runScript(usage: string, run: () => Promise<boolean>): Promise<void> {
  try {
    process.exitCode = (await run()) ? 0 : 1;
  } catch (error) {
    const wrongFlag = error instanceof RangeError || error instanceof TypeError;
    say(
      wrongFlag
        ? `${error.message}\n${usage}`
        : error instanceof Error
          ? (error.stack ?? error.message)
          : String(error),
    );
    process.exitCode = 2;
  }
}

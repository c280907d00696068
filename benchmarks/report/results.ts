import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describeMachine } from './machine.ts';
import { page, type Result } from './page.ts';
import type { Section } from './section.ts';

const FOLDER = new URL('../results/', import.meta.url);

function fileOf(suite: string): URL {
  return new URL(`${suite}.json`, FOLDER);
}

/** Keeps what a suite found, in place of what it found before. @param minutes how long it took */
export function keepResult(suite: string, section: Section, date: Date, minutes: number): void {
  const result: Result = { section, date: date.toISOString().slice(0, 10), minutes, machine: describeMachine() };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(suite), `${JSON.stringify(result, null, 2)}\n`);
}

/** Writes the page of all that is kept. @param suites in the order of the page */
export function writePage(suites: readonly string[]): void {
  const results = suites
    .map(fileOf)
    .filter((file) => existsSync(file))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `keepResult`
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Result);
  writeFileSync(new URL('../RESULTS.md', import.meta.url), page(results));
}

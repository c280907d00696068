import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  InvalidConsoleOptions,
  parseConsoleOptions,
  type ConsoleOptions,
  type ConsoleOptionsInput,
} from './console-options.ts';

/** Reads options, and looks for the pages that they name. @throws InvalidConsoleOptions with every problem */
export async function readOptions(input: ConsoleOptionsInput): Promise<ConsoleOptions> {
  const parsed = parseConsoleOptions(input);
  if (!parsed.ok) throw new InvalidConsoleOptions(parsed.problems);
  const { webRoot } = parsed.options;
  if (webRoot !== undefined && !(await isFile(join(webRoot, 'index.html')))) {
    const problem = 'has no index.html: build the pages first, or leave the option out';
    throw new InvalidConsoleOptions([{ field: 'webRoot', value: webRoot, problem }]);
  }
  return parsed.options;
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

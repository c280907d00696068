import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian packages of the programs that are not on the PATH, each once, by a list of program → package. */
export function missingPackages(packages: Readonly<Record<string, string>>): string[] {
  const missing = Object.entries(packages).filter(([program]) => !isInstalled(program));
  return [...new Set(missing.map(([, name]) => name))];
}

/** @throws Error that says what to install for `what` when a program is missing. */
export function requirePackages(what: string, packages: Readonly<Record<string, string>>): void {
  const missing = missingPackages(packages);
  if (missing.length > 0) {
    throw new Error(`${what} is not installed. On Debian or Ubuntu: apt-get install -y ${missing.join(' ')}`);
  }
}

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

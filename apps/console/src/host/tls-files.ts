import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { InvalidConsoleOptions, type ConsoleOptions } from '../config/console-options.ts';

/**
 * Reads the certificate and its key; undefined when the options name none.
 * @throws InvalidConsoleOptions when a file cannot be read, is no PEM, or the two do not belong together
 */
export async function readTlsFiles({
  tlsCertFile,
  tlsKeyFile,
}: Pick<ConsoleOptions, 'tlsCertFile' | 'tlsKeyFile'>): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  const files = { tlsCertFile, tlsKeyFile };
  const cert = await readFile(tlsCertFile).catch((error: unknown) => refuse('tlsCertFile', files, error));
  const key = await readFile(tlsKeyFile).catch((error: unknown) => refuse('tlsKeyFile', files, error));
  try {
    createSecureContext({ cert });
  } catch (error) {
    refuse('tlsCertFile', files, error);
  }
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    refuse('tlsKeyFile', files, error);
  }
  return { cert, key };
}

function refuse<Field extends 'tlsCertFile' | 'tlsKeyFile'>(
  field: Field,
  files: Record<Field, string>,
  error: unknown,
): never {
  const why = error instanceof Error ? error.message : String(error);
  const problem = `must be a PEM file that can be read${field === 'tlsKeyFile' ? ' and belongs to the certificate' : ''}: ${why}`;
  throw new InvalidConsoleOptions([{ field, value: files[field], problem }]);
}

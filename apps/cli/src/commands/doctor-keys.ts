import { keysFit, type KeysFit } from '@weir/console';
import { OPTION_WAYS } from '@weir/console/options';
import { type Finding, fail, ok, type Verdict } from './doctor-finding.ts';
import { redacted } from './quota-servers.ts';

/** Whether the keys of a data folder belong to the database; nothing when that does not answer, which is said of it alone. */
export async function examineKeys(dataDir: string, storageUrl: string): Promise<Finding[]> {
  const fit = await keysFit(dataDir, storageUrl).catch(() => null);
  if (fit === null) return [];
  if (storageUrl !== 'sqlite:')
    return [{ target: `${dataDir} with ${redacted(storageUrl)}`, ...judgeKeys(fit, dataDir) }];
  // A file that is not there, or lies there without its keys, is told of with the folder.
  return fit === 'not-begun' || fit === 'no-keys' ? [] : [{ target: dataDir, ...judgeKeys(fit, dataDir) }];
}

/** What to say of keys and a database. */
export function judgeKeys(fit: KeysFit, dataDir: string): Verdict {
  const { flag, variable } = OPTION_WAYS.storageUrl;
  switch (fit) {
    case 'fit':
    case 'in-use':
      return ok('keys', 'they are those that the database was begun with');
    case 'not-begun':
      return ok('keys', 'no console has used the database yet: whichever starts first begins it with its keys');
    case 'others':
      return fail(
        'keys',
        'they are not those that the database was begun with: a console refuses to start',
        `Give the database of these keys with ${flag} (${variable}), or restore the secrets.json that was saved with this one.`,
      );
    case 'no-keys':
      return fail(
        'keys',
        `the database was begun with keys, and ${dataDir} has none that can be read: a console refuses to start`,
        `Copy secrets.json and manifest-key.pem of its console there, or give another database with ${flag} (${variable}).`,
      );
    default:
      return fit satisfies never;
  }
}

import { namedOption } from '../config/option-ways.ts';
import type { Leader } from '../ports/lease-store.ts';
import type { NewerDatabase } from '../ports/newer-database.ts';

/**
 * Why a console may not lead its group.
 * - `secrets`, `database`: it may not pass requests on either: its clients are unknown to the leader, or would take another Weir for theirs.
 * - `version`: a newer console has changed the database. It goes on passing requests on.
 */
export interface Difference {
  readonly kind: 'secrets' | 'database' | 'version';
  /** For the log: what differs, and what to do. */
  readonly message: string;
}

/** What a console compares with what the leader tells. */
type Self = Omit<Leader, 'fence'>;

/** How a console differs from the one that leads; null: it may succeed it. What an older one does not tell is taken for the same. */
export function differenceFrom(self: Self, leader: Leader): Difference | null {
  if (leader.secrets !== self.secrets) return { kind: 'secrets', message: OTHER_SECRETS };
  if (leader.database !== null && leader.database !== self.database) {
    return { kind: 'database', message: otherDatabase(self.database, leader) };
  }
  // Without a number it has not changed the database yet.
  if (leader.fence === null || leader.schema === null || self.schema === null || leader.schema <= self.schema)
    return null;
  return { kind: 'version', message: outdated(self, leader.schema) };
}

/** The same, found in the database. */
export function outdatedBy(self: Self, { found }: NewerDatabase): Difference {
  return { kind: 'version', message: outdated(self, found) };
}

/** What is said of a database that knows fewer terms than the lease tells, although the two have one identity. */
export function olderCopy({ url, fence }: Leader, newest: number): string {
  return (
    `The console that leads the group (${url}) is in term ${fence}, and this database knows of ${newest} only: it is another one, or an ` +
    `older copy. ${SAME_DATABASE}`
  );
}

/** What to do about a database that is not that of the group. */
export const SAME_DATABASE: string =
  `Give all consoles of the group the same ${namedOption('storageUrl')}; a second Weir needs secrets and a Redis ` +
  'database of its own.';

const OTHER_SECRETS =
  'The console that leads the group has other secrets than this one: sessions and agents of one are unknown to the other. ' +
  'This one neither leads nor passes requests on. Copy secrets.json and manifest-key.pem of the leader into the data directory of ' +
  'each console, and start them again.';

/** What is said of a console whose database has another identity than that of the leader. */
export function otherDatabase(database: string | null, { url, database: leaders }: Leader): string {
  return (
    `This console has the database ${database}, and the console that leads the group (${url}) has ${leaders}: it neither leads nor ` +
    `passes requests on. ${SAME_DATABASE}`
  );
}

function outdated({ version, schema }: Self, found: number): string {
  return (
    `A newer console has brought the database to version ${found}, and this console (${version}) knows versions up to ${schema}: ` +
    'it does not lead any more, and passes requests on to a newer one. Upgrade this console.'
  );
}

import { UnusableDatabase } from './unusable-database.ts';

/** A newer console has changed the database: what an older one writes there could be wrong. Nothing in it was changed. */
export class NewerDatabase extends UnusableDatabase {
  /** Version of the database. */
  readonly found: number;

  /** @param known newest version that this console knows */
  constructor(name: string, found: number, known: number) {
    super(
      `The database ${name} has version ${found}, and this console knows versions up to ${known}. ` +
        'It was written by a newer console: start that one, or restore a backup from before the upgrade.',
    );
    this.found = found;
  }
}

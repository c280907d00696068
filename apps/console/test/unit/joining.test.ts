import { expect, test } from 'vitest';
import type { SeenGroup } from '../../src/leadership/group-look.ts';
import { refusalToJoin, type SeenBefore, warningOfOthers } from '../../src/leadership/joining.ts';
import type { FoundDatabase } from '../../src/ports/group-storage.ts';
import type { Leader } from '../../src/ports/lease-store.ts';
import type { HeardConsole } from '../../src/ports/roster.ts';

const NOBODY: SeenGroup = { led: false, leader: null, consoles: [] };
const LEADER: Leader = { url: 'http://a', fence: 7, version: '1', secrets: 's', database: 'right', schema: 6 };
const CONSOLE: HeardConsole = {
  consoleId: 'con_1',
  url: 'http://b',
  host: 'rack-2',
  version: '1',
  uptimeMs: 1,
  silentMs: 900,
  databaseAnswers: true,
  differs: null,
};
const led = (change: Partial<Leader> = {}): SeenGroup => ({ ...NOBODY, led: true, leader: { ...LEADER, ...change } });
const seen = (own: SeenGroup | null, ...others: SeenGroup[]): SeenBefore => ({
  own,
  reason: own === null ? 'away' : null,
  others,
});
const found = (change: Partial<FoundDatabase> = {}): FoundDatabase => ({
  name: 'db:5432/weir',
  isEmpty: false,
  identity: 'right',
  terms: 7,
  ...change,
});
const EMPTY = found({ isEmpty: true, identity: null, terms: 0 });
/** Of a console that was alone, or of a version that had no groups. */
const WITHOUT_IDENTITY = found({ identity: null, terms: 0 });

test.each<[string, SeenBefore, FoundDatabase, string]>([
  [
    'an empty database',
    seen(led()),
    EMPTY,
    'db:5432/weir is empty, and the group of this console has another one: http://a, which leads (term 7)',
  ],
  [
    'one, with a leader that tells less',
    seen(led({ database: null, fence: null })),
    EMPTY,
    'has another one: http://a, which leads.',
  ],
  [
    'one, with a leader that cannot be read',
    seen({ ...NOBODY, led: true }),
    EMPTY,
    'a console that does not tell its address',
  ],
  ['one, between two leaders', seen({ ...NOBODY, consoles: [CONSOLE] }), EMPTY, 'has another one: http://b on rack-2.'],
  ['one that no group has used', seen(led()), WITHOUT_IDENTITY, 'is not that of a group'],
  [
    'another one',
    seen(led()),
    found({ identity: 'wrong' }),
    'has the database wrong, and the console that leads the group (http://a) has right',
  ],
  ['an empty one, unseen', seen(null), EMPTY, 'cannot be seen on Redis (away)'],
])('beside its group a console does not begin %s', (_, before, database, words) => {
  expect(refusalToJoin(before, database)).toContain(words);
});

test.each<[string, SeenBefore, FoundDatabase]>([
  ['the first of its group makes its database', seen(NOBODY), EMPTY],
  ['a console joins the database of its group', seen(led()), found()],
  [
    'the database of a leader that does not tell is taken for the same',
    seen(led({ database: null })),
    WITHOUT_IDENTITY,
  ],
  ['with Redis away a database that is there is joined', seen(null), found()],
])('%s', (_, before, database) => {
  expect(refusalToJoin(before, database)).toBeNull();
  expect(warningOfOthers(before)).toBeNull();
});

test('beside another group a new one does not begin, and one that has led before says what is wrong', () => {
  const others = seen(NOBODY, led({ url: 'http://stranger', database: 'theirs' }));
  for (const database of [EMPTY, WITHOUT_IDENTITY]) {
    expect(refusalToJoin(others, database)).toMatch(
      /http:\/\/stranger, which leads \(term 7\).*another database number of Redis/,
    );
  }
  expect(refusalToJoin(others, found())).toBeNull();
  expect(warningOfOthers(others)).toMatch(/http:\/\/stranger.*stop the wrong one.*another database number of Redis/);
});

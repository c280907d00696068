/** What the agents of a fleet were granted, as they saw it themselves. */
export * from './grants/grant-book.ts';
export * from './grants/watch-grants.ts';

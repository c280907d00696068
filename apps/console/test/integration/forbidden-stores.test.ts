import { expect, test } from 'vitest';
import { quotaConnector } from '../../src/quotas/connector.ts';
import { FakeClock } from '../support/fake-clock.ts';

// The system reads this name as 169.254.169.254, and it is none in the form that is checked before.
const NAME = '2852039166';

test.each([
  ['redis', `redis://${NAME}:6379`],
  ['redis', `rediss://${NAME}`],
  ['memcached', `memcached://${NAME}:11211`],
] as const)('a store on %s whose name leads to a metadata address is not connected to: %s', async (kind, address) => {
  const connecting = quotaConnector(new FakeClock()).connect({ kind, address, username: null, password: null });
  await expect(connecting).rejects.toThrow('metadata address');
});

import { expect, test } from 'vitest';
import { systemResolver } from '../../src/host/system-resolver.ts';
import { FakeClock } from '../support/fake-clock.ts';

test('an answer is used again for a minute', async () => {
  const clock = new FakeClock();
  let asked = 0;
  const resolver = systemResolver(clock, async () => [`10.0.0.${(asked += 1)}`]);
  expect(await resolver.addressesOf('s3.example')).toEqual(['10.0.0.1']);
  await clock.advance(59_999);
  expect(await resolver.addressesOf('s3.example')).toEqual(['10.0.0.1']);
  await clock.advance(1);
  expect(await resolver.addressesOf('s3.example')).toEqual(['10.0.0.2']);
});

test('a name server that does not answer, or refuses, is not waited for and not remembered', async () => {
  const clock = new FakeClock();
  const answers = [
    () => new Promise<string[]>(() => undefined),
    () => Promise.reject(new Error('ENOTFOUND')),
    async () => ['10.0.0.1'],
  ];
  const resolver = systemResolver(clock, async () => (await answers.shift()?.()) ?? []);
  const silent = resolver.addressesOf('s3.example');
  await clock.advance(3_000);
  expect(await silent).toEqual([]);
  expect(await resolver.addressesOf('s3.example')).toEqual([]);
  expect(await resolver.addressesOf('s3.example')).toEqual(['10.0.0.1']);
});

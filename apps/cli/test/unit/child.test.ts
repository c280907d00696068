import { expect, test } from 'vitest';
import { readyOf } from '../../src/demo/child.ts';
import { CommandError } from '../../src/output/command-error.ts';

test('what keeps a child from starting is reported in its own words', () => {
  expect(readyOf('{"event":"listening","url":"http://127.0.0.1:1"}')).toMatchObject({ url: 'http://127.0.0.1:1' });
  const line = '{"error":{"code":"port-in-use","message":"port 8180 is in use","remedy":"Choose another one."}}';
  expect(() => readyOf(line)).toThrow(
    new CommandError('port-in-use', 'port 8180 is in use', { remedy: 'Choose another one.' }),
  );
  expect(() => readyOf('{"error":{"code":"internal","message":"no"}}')).toThrow(new CommandError('internal', 'no'));
});

import * as sdk from '@aws-sdk/client-s3';
import { chargeFor, type TransactionType } from '@weir/governor';
import { expect, test } from 'vitest';
import { operationOfCommand } from '../../../src/aws-sdk/index.ts';

const ALL_TYPES: ReadonlySet<TransactionType> = new Set(['LIST', 'GET', 'PUT', 'DELETE']);
const commands = Object.keys(sdk).filter((name) => /^[A-Z].*Command$/.test(name));
const cost = (command: string, model: 'per-object' | 'per-request') =>
  chargeFor(operationOfCommand(command), 0, ALL_TYPES, model);

test('per object, only making an object or listing objects costs anything', () => {
  expect(commands.length).toBeGreaterThan(100);
  const costing = Object.fromEntries(
    commands.flatMap((command) => {
      const charge = cost(command, 'per-object');
      return charge === null ? [] : [[command, `${charge.type} ${charge.cost}`]];
    }),
  );
  expect(costing).toEqual({
    CopyObjectCommand: 'PUT 1',
    CreateMultipartUploadCommand: 'PUT 11',
    ListObjectVersionsCommand: 'LIST 1',
    ListObjectsCommand: 'LIST 1',
    ListObjectsV2Command: 'LIST 1',
    PutObjectCommand: 'PUT 1',
    RenameObjectCommand: 'PUT 1',
  });
});

test('per request, every command costs 1 of the type that its verb says', () => {
  const expected: [RegExp, TransactionType][] = [
    [/^List/, 'LIST'],
    [/^(Get|Head|Select|CreateSession)/, 'GET'],
    [/^(Delete|Abort)/, 'DELETE'],
    [/./, 'PUT'],
  ];
  for (const command of commands) {
    const type = expected.find(([verb]) => verb.test(command))?.[1];
    expect([command, cost(command, 'per-request')]).toEqual([command, { type, cost: 1 }]);
  }
});

test('a command that no SDK has yet is free per object and a PUT per request', () => {
  for (const unknown of ['RepaintObjectCommand', '', 'Command']) {
    expect(cost(unknown, 'per-object')).toBeNull();
    expect(cost(unknown, 'per-request')).toEqual({ type: 'PUT', cost: 1 });
  }
});

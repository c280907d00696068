import { pino } from 'pino';
import { expect, test } from 'vitest';
import { logOptions } from '../../src/log.ts';
import { anAssignment } from './assignments.ts';

test('a secret that is logged by mistake does not reach the log', () => {
  const lines: string[] = [];
  const log = pino(logOptions('info'), { write: (line: string) => void lines.push(line) });
  const secret = 'hunter2';
  const assignment = anAssignment();
  log.info({ credential: secret, options: { enrolmentToken: secret }, headers: { authorization: secret } }, 'oops');
  log.info({ assignment: { ...assignment, source: { ...assignment.source, secretAccessKey: secret } } }, 'oops');
  expect(lines.join('')).not.toContain(secret);
  expect(lines.join('')).toContain('[secret]');
});

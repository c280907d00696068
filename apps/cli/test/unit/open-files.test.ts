import { expect, test } from 'vitest';
import { judgeOpenFiles } from '../../src/commands/doctor-verdicts.ts';
import { openFilesLimit } from '../../src/output/open-files.ts';
import { reportError } from '../../src/output/terminal.ts';

/** What is said at the terminal, and the exit code. */
function reported(error: unknown): { code: number; err: string } {
  let err = '';
  const terminal = { out: () => undefined, err: (text: string) => void (err += text), interactive: false, columns: 80 };
  return { code: reportError(terminal, error, false), err };
}

function failing(code: string): Error {
  return Object.assign(new Error(`${code}: too many open files, open '/weir/zod/index.js'`), { code });
}

test.each([
  ['by itself', failing('EMFILE')],
  ['as the cause of another', new Error('cannot start', { cause: failing('EMFILE') })],
])('too many open files, %s, names the limit, what is needed, and how it is raised', (_, error) => {
  const { code, err } = reported(error);
  expect(code).toBe(2);
  expect(err).toContain(`it may have: ${openFilesLimit()} (RLIMIT_NOFILE); weir needs 1024`);
  expect(err).toContain('LimitNOFILE=65536');
  expect(err).not.toContain('    at ');
});

test('a machine that has no more files is not taken for a process', () => {
  expect(reported(failing('ENFILE')).err).toContain('fs.file-max');
});

test('other errors keep their stack', () => {
  expect(reported(failing('EIO')).err).toContain('    at ');
});

test('what a start needs is what the doctor asks for', () => {
  expect(judgeOpenFiles(1_023).status).toBe('fail');
  expect(judgeOpenFiles(1_024).status).not.toBe('fail');
});

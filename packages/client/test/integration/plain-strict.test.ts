import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const fixture = fileURLToPath(new URL('../fixtures/plain-strict.ts', import.meta.url));

test('routes can be called by programs that are compiled with strict alone', { timeout: 60_000 }, () => {
  const program = ts.createProgram([fixture], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    customConditions: ['@weir/source'],
    allowImportingTsExtensions: true,
  });
  const problems = program.getSemanticDiagnostics(program.getSourceFile(fixture));
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
});

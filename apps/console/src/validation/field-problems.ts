import type { FieldProblem } from '@weir/protocol';
import type { z } from 'zod';

/** Longest piece of a value that is repeated back. */
const VALUE_CHARACTERS = 64;
/** Problems reported at most: a body of 1 MiB can hold very many. */
const MAX_PROBLEMS = 50;
/** Fields whose value is never repeated back. */
const SECRET_FIELD = /pass(word|phrase)|secret|token|credential|cookie|authorization|storageUrl|redisUrl/i;

/** Turns what zod found into problems: which field, what was sent, what would be right. One for each field. */
export function fieldProblems(error: z.core.$ZodError, input: unknown): FieldProblem[] {
  const byField = new Map<string, FieldProblem>();
  for (const problem of error.issues.flatMap((issue) => problemsOf(issue, input))) {
    if (!byField.has(problem.field)) byField.set(problem.field, problem);
  }
  return [...byField.values()].slice(0, MAX_PROBLEMS);
}

function problemsOf(issue: z.core.$ZodIssue, input: unknown): FieldProblem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: [...path, key].join('.').slice(0, 200),
      problem: 'is not a known field: remove it or check its spelling',
    }));
  }
  const value = at(input, issue.path);
  const field = path.join('.');
  if (value === undefined) return [{ field, problem: `is missing: ${expectation(issue)}` }];
  const shown = SECRET_FIELD.test(field) ? undefined : shortened(value);
  const problem =
    issue.code === 'invalid_type' && issue.message.startsWith('Invalid input') ? expectation(issue) : issue.message;
  return [{ field, ...(shown === undefined ? {} : { value: shown }), problem }];
}

/** What zod expected, as an instruction. */
function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type')
    return issue.message.startsWith('Invalid input') ? `must be ${article(issue.expected)}` : issue.message;
  return issue.message;
}

function article(type: string): string {
  if (type === 'int') return 'a whole number';
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function at(input: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === String(key))?.[1];
  }
  return value;
}

function shortened(value: unknown): string | undefined {
  // The inside of an object may hold secrets; its fields are reported by themselves.
  if (typeof value === 'object' && value !== null) return undefined;
  // An address may carry a user name and a password.
  const text = String(value).replace(/\/\/[^/@]*@/g, '//…@');
  return text.length <= VALUE_CHARACTERS ? text : `${text.slice(0, VALUE_CHARACTERS)}…`;
}

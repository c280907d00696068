import * as fc from 'fast-check';
import { z } from 'zod';

/** What somebody types who hopes that it reaches a shell, a query, a header, a path, a log or a page. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  '../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  "' OR 1=1 --",
  '"; DROP TABLE agents; --',
  '<script>alert(1)</script>',
  'a\r\nset-cookie: x=1',
  '\u2028\u202E\uFEFF',
  '\uD800',
  '__proto__',
  'constructor',
  'toString',
  '%00',
  '%s%n%x',
  '${7*7}',
  '=cmd|x!A1',
  'a'.repeat(5_000),
  '🙂'.repeat(300),
  '*'.repeat(200),
  '1e309',
  'NaN',
  '[object Object]',
];

/** Addresses of servers that are nowhere, or where nobody may be sent. None leaves this machine. */
const HOSTILE_ADDRESSES = [
  'http://127.0.0.1:1',
  'http://[::1]:1/x',
  'http://169.254.169.254/latest/meta-data',
  'http://0xa9fea9fe',
  'http://127.0.0.1:99999',
  'http://user:password@127.0.0.1:1',
  'http://127.0.0.1:1/?q#f',
  'http://',
  'http:///x',
  'http:\\\\127.0.0.1:1',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'redis://127.0.0.1:1',
  'redis://127.0.0.1:1/99999',
  'redis://127.0.0.1\\x',
  'redis://127.0.0.1:%31',
  'rediss://[::1]:1',
  'redis://127.0.0.1:0',
  'valkeys://127.0.0.1',
  'memcached://127.0.0.1:1,127.0.0.1:1',
  'memcached://127.0.0.1:1,127.0.0.1:2',
  'memcached://[::1]:0',
];

/** Names of fields that hold such an address. */
const ADDRESS_FIELD = /url|address/i;

/** Any JSON at all, deep and wide. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(null, true, -1, 0, 0.5, 1e308, Number.MAX_SAFE_INTEGER, [], {}, [[]], [null]),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_000 }).map(nested) },
);

function nested(depth: number): unknown {
  let value: unknown = 'x';
  for (let n = 0; n < depth; n += 1) value = n % 2 === 0 ? [value] : { a: value };
  return value;
}

/** The part of JSON Schema that the wire's schemas use. */
interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  maxItems?: number;
  minItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

/** Ordinary contents, for fields that accept them. */
const PLAIN_TEXTS = ['a', 'name-1', 'photos', 'key/b', 'UTC', 'long-enough', '12:00', 'x'.repeat(64), 'ä🙂'];

/**
 * Values for a schema of the wire: most have the right form with extreme contents, so that they pass validation and reach what
 * lies behind it; in some, one part is something else.
 * @param known identifiers that exist, so that some are found
 */
export function hostile(schema: z.ZodType | undefined, known: readonly string[]): fc.Arbitrary<unknown> {
  if (schema === undefined) return fc.constant(undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is not in the interface is ignored
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const fits = fitting(described, '', known);
  const broken = fc.tuple(fits, fc.nat(), anything).map(([value, place, other]) => replaced(value, place, other));
  return fc.oneof({ weight: 6, arbitrary: fits }, { weight: 5, arbitrary: broken }, { weight: 1, arbitrary: anything });
}

/** The value with one of its parts, counted through, replaced. */
function replaced(value: unknown, place: number, other: unknown): unknown {
  const holders: [object, string][] = [];
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    for (const [name, inner] of Object.entries(part)) {
      holders.push([part, name]);
      visit(inner);
    }
  };
  const copy = structuredClone(value);
  visit(copy);
  const holder = holders[place % Math.max(1, holders.length)];
  if (holder !== undefined) Object.assign(holder[0], { [holder[1]]: other });
  return copy;
}

function fitting(schema: JsonSchema, field: string, known: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => fitting(choice, field, known)));
  switch (schema.type ?? 'any') {
    case 'object':
      return fittingObject(schema, known);
    case 'array': {
      const { items = {}, minItems = 0, maxItems = 4 } = schema;
      return fc.array(fitting(items, field, known), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, 4)),
      });
    }
    case 'integer':
    case 'number': {
      const least = schema.minimum ?? (schema.exclusiveMinimum ?? -1) + 1;
      const most = schema.maximum ?? (schema.type === 'integer' ? Number.MAX_SAFE_INTEGER : 1e308);
      return fc.constantFrom(least, Math.min(most, least + 1), Math.min(most, 1_000), Math.floor(most / 2), most);
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return textFor(schema, field, known);
    default:
      return fc.constantFrom('x', 1, null);
  }
}

function fittingObject(
  { properties = {}, required = [] }: JsonSchema,
  known: readonly string[],
): fc.Arbitrary<unknown> {
  const parts = Object.fromEntries(
    Object.entries(properties).map(([name, part]) => [name, fitting(part, name, known)]),
  );
  return fc.record(parts, { requiredKeys: required.filter((name) => name in parts) });
}

function textFor(
  { pattern, minLength = 0, maxLength = 5_000 }: JsonSchema,
  field: string,
  known: readonly string[],
): fc.Arbitrary<string> {
  const form = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const fits = (text: string): boolean =>
    text.length >= minLength && text.length <= maxLength && (form === undefined || form.test(text));
  const addressed = ADDRESS_FIELD.test(field);
  const ordinary = (addressed ? HOSTILE_ADDRESSES : [...known, ...PLAIN_TEXTS]).filter(fits);
  const odd = HOSTILE_TEXTS.filter(fits);
  const all = [...ordinary, ...ordinary, ...(addressed ? [] : odd)];
  if (field === 'zone') return fc.constantFrom('UTC', 'Europe/Berlin', ...HOSTILE_TEXTS.slice(0, 2));
  return all.length > 0 ? fc.constantFrom(...all) : fc.constantFrom(...HOSTILE_TEXTS);
}

/** A part of a path, percent-encoded or not. */
export function hostileSegment(known: readonly string[]): fc.Arbitrary<string> {
  const text = fc.constantFrom(...HOSTILE_TEXTS).map((each) => encodeURIComponent(each.toWellFormed()).slice(0, 2_000));
  const raw = fc.constantFrom('%', '%zz', '%c0%ae%c0%ae', '..', '.', '%2e%2e%2f', '%00', ':x', 'a%0d%0ab', '*', '%ff');
  return fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: text }, raw);
}

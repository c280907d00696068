import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isErrorLine, ProtocolError, ReplyReader, type Reply, type ReplyShape } from '../../src/replies.ts';

interface Sample {
  readonly shape: ReplyShape;
  readonly bytes: string;
  readonly reply: Partial<Reply>;
  readonly prefix?: string;
}

const blob = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const word = fc.stringMatching(/^[a-zA-Z0-9]{1,12}$/);

const sample: fc.Arbitrary<Sample> = fc.oneof(
  fc.constantFrom('HD', 'HD O1 t60', 'EN', 'NF O2', 'NS', 'EX c0', 'MN').map((line): Sample => {
    return { shape: 'meta', bytes: `${line}\r\n`, reply: { line, body: undefined } };
  }),
  blob.map((body): Sample => {
    const line = `VA ${body.length} O1 t-1 c9`;
    return { shape: 'meta', bytes: `${line}\r\n${body}\r\n`, reply: { line, body } };
  }),
  blob.map((key): Sample => {
    // A raw key in a reply to `me` may hold anything, line ends too.
    const prefix = `ME ${key} `;
    return { shape: 'meta', bytes: `${prefix}exp=-1 la=0\r\n`, reply: { line: `${prefix}exp=-1 la=0` }, prefix };
  }),
  fc.constantFrom('STORED', '42', 'VERSION 1.6.18').map((line): Sample => {
    return { shape: 'line', bytes: `${line}\r\n`, reply: { line } };
  }),
  fc.array(word).map((words): Sample => {
    const lines = words.map((text) => `STAT ${text} 1`);
    return { shape: 'lines', bytes: [...lines, 'END', ''].join('\r\n'), reply: { line: 'END', lines } };
  }),
  fc.constant<Sample>({ shape: 'value', bytes: 'END\r\n', reply: { line: 'END', body: undefined } }),
  blob.map((body): Sample => {
    const line = `VALUE key 0 ${body.length} 7`;
    return { shape: 'value', bytes: `${line}\r\n${body}\r\nEND\r\n`, reply: { line, body } };
  }),
  fc
    .tuple(
      fc.constantFrom<ReplyShape>('meta', 'line', 'lines', 'value'),
      fc.constantFrom('ERROR', 'CLIENT_ERROR bad', 'SERVER_ERROR out of memory'),
    )
    .map(([shape, line]): Sample => ({ shape, bytes: `${line}\r\n`, reply: { line, body: undefined } })),
);

test('replies come out whole and in order, wherever the network cuts the stream', () => {
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 12 }), fc.array(fc.integer({ min: 1, max: 9 })), (samples, cuts) => {
      const reader = new ReplyReader();
      let stream = samples.map(({ bytes }) => bytes).join('');
      const due = [...samples];
      const read = (): void => {
        for (;;) {
          const [next] = due;
          const reply = next === undefined ? undefined : reader.read(next.shape, next.prefix);
          if (next === undefined || reply === undefined) return;
          expect(reply).toMatchObject(next.reply);
          due.shift();
        }
      };
      for (let turn = 0; stream !== ''; turn++) {
        const cut = cuts.length === 0 ? stream.length : (cuts[turn % cuts.length] ?? 1);
        reader.push(stream.slice(0, cut));
        stream = stream.slice(cut);
        read();
      }
      expect(due).toEqual([]);
      expect(reader.hasUnread).toBe(false);
    }),
  );
});

describe('bytes that are no reply are an error, never an answer', () => {
  test.each<[string, ReplyShape, string]>([
    ['a data block longer than announced', 'meta', 'VA 2 t1\r\n123\r\n'],
    ['a data block without a size', 'meta', 'VA x\r\n1\r\n'],
    ['a data block beyond every bound', 'meta', 'VA 99999999\r\n'],
    ['another reply where a value was due', 'value', 'STORED\r\n'],
    ['two values where one was due', 'value', 'VALUE a 0 1 1\r\n1\r\nVALUE b 0 1 1\r\n1\r\nEND\r\n'],
    ['a line without end', 'line', 'x'.repeat(5_000)],
  ])('%s', (_, shape, bytes) => {
    const reader = new ReplyReader();
    reader.push(bytes);
    expect(() => reader.read(shape)).toThrow(ProtocolError);
  });
});

test('only the three error words make an error line', () => {
  for (const line of ['ERROR', 'ERROR: shutdown not enabled', 'CLIENT_ERROR x', 'SERVER_ERROR x']) {
    expect(isErrorLine(line)).toBe(true);
  }
  for (const line of ['ERRORS 1', 'HD', 'VALUE ERROR 0 1', 'EN']) expect(isErrorLine(line)).toBe(false);
});

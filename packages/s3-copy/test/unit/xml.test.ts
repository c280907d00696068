import { XMLParser } from 'fast-xml-parser';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { childElements, childText, escapeXml, parseXml } from '../../src/xml.ts';

function parse(text: string): ReturnType<typeof parseXml> {
  return parseXml(Buffer.from(text));
}

describe('reading XML', () => {
  test('any text survives escaping and reading', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const document = parse(`<?xml version="1.0"?>\n<A><B>${escapeXml(text)}</B></A>`);
        expect(childText(document!.content, 'B')).toBe(text);
      }),
    );
  });

  test('characters that XML 1.0 forbids are kept: tokens hold them', () => {
    expect(childText(parse('<A><T>&#x01;ctl&#13;&#10;\u0002</T></A>')!.content, 'T')).toBe('\u0001ctl\r\n\u0002');
  });

  test('entities are decoded once', () => {
    expect(childText(parse('<A><B>&amp;lt; &lt;&gt;&quot;&apos; &#233;&#x1F600; &nope;</B></A>')!.content, 'B')).toBe(
      `&lt; <>"' é😀 &nope;`,
    );
  });

  test('namespaces, attributes, comments, CDATA and empty elements are read as S3 servers write them', () => {
    const document = parse(
      `<?xml version="1.0"?><!DOCTYPE x><s3:R xmlns:s3="http://x"><!-- <Q>no</Q> --><s3:K a="1">v</s3:K><E/><E b="/"/><C><![CDATA[<&>]]></C></s3:R>\n`,
    );
    expect(document).toEqual({ root: 'R', content: { K: 'v', E: ['', ''], C: '<&>' } });
  });

  test('one child or many are read alike', () => {
    const one = parse('<A><B><C>1</C></B></A>')!.content;
    const two = parse('<A><B><C>1</C></B><B><C>2</C></B></A>')!.content;
    expect(childElements(one, 'B')).toHaveLength(1);
    expect(childElements(two, 'B').map((child) => childText(child, 'C'))).toEqual(['1', '2']);
    expect(childElements(one, 'X')).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['plain text', 'upstream connect error'],
    ['JSON', '{"error":1}'],
    ['an end too early', '<A><B>x</B>'],
    ['crossed tags', '<A><B></A></B>'],
    ['a tag that does not end', '<A><B'],
    ['two roots', '<A></A><B></B>'],
    ['a closing tag first', '</A>'],
    ['deep nesting', `${'<a>'.repeat(50)}${'</a>'.repeat(50)}`],
    ['a name that would be no property', '<A><__proto__>x</__proto__></A>'],
  ])('%s is no document', (_name, text) => {
    expect(parse(text)).toBeNull();
  });

  test('bytes of any kind are read or refused, never thrown at the caller', () => {
    const pieces = fc.constantFrom('<', '>', '/', '<A>', '</A>', '<!', '<?', ']]>', '<![CDATA[', '&', '&#x;', 'x', ' ');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        expect(() => parse(parts.join(''))).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });

  test('reads what a general parser reads', () => {
    const oracle = new XMLParser({ ignoreAttributes: true, parseTagValue: false, trimValues: false });
    const word = fc.string({
      unit: fc.constantFrom('a', 'b', '1', ' ', '&', '<', '"', 'é'),
      minLength: 1,
      maxLength: 8,
    });
    const leaf = fc.record({ key: word, size: fc.nat() });
    fc.assert(
      fc.property(fc.array(leaf, { minLength: 1, maxLength: 20 }), word, (objects, token) => {
        const contents = objects.map(
          ({ key, size }) => `<Contents><Key>x${escapeXml(key)}</Key><Size>${size}</Size></Contents>`,
        );
        const text = `<R><Token>x${escapeXml(token)}</Token>${contents.join('')}</R>`;
        // The oracle leaves numeric references alone unless told otherwise, so the named ones are used for it.
        const named = text.replaceAll('&#38;', '&amp;').replaceAll('&#60;', '&lt;').replaceAll('&#34;', '&quot;');
        const read = parse(text);
        expect({ [read?.root ?? '']: read?.content }).toEqual(oracle.parse(named));
      }),
    );
  });
});

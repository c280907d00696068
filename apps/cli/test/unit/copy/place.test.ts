import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinsNames, overlapOf, parsePlace, placeName } from '../../../src/copy/place.ts';

const prefix = fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => text.isWellFormed());

function joins(from: string, to: string): boolean {
  return joinsNames({ bucket: 'b', prefix: from }, { bucket: 'c', prefix: to });
}

describe('a place', () => {
  it('keeps its prefix byte for byte, whatever is in it', () => {
    fc.assert(
      fc.property(prefix, (text) => {
        const place = parsePlace(`s3://bucket/${text}`);
        expect(place).toEqual({ bucket: 'bucket', prefix: text });
        expect(parsePlace(placeName(place))).toEqual(place);
      }),
    );
  });

  it('is the whole bucket without a prefix', () => {
    expect(parsePlace('s3://bucket')).toEqual({ bucket: 'bucket', prefix: '' });
    expect(parsePlace('s3://bucket/')).toEqual({ bucket: 'bucket', prefix: '' });
    expect(parsePlace('S3://Old_Bucket.x//a/../b?c#d%20')).toEqual({
      bucket: 'Old_Bucket.x',
      prefix: '/a/../b?c#d%20',
    });
  });

  it.each(['', 'bucket', 's3:/bucket', 's3://', 's3:///key', 'https://host/bucket', 's3://b', 's3://-b/x'])(
    'refuses %j and says what to write',
    (text) => {
      expect(() => parsePlace(text)).toThrow(expect.objectContaining({ code: 'place-invalid', exitCode: 2 }));
    },
  );

  it('tells a name that no bucket can have from a text that names none', () => {
    expect(() => parsePlace('s3://b/x')).toThrow('"s3://b/x": "b" cannot be a bucket');
    expect(() => parsePlace('bucket/x')).toThrow('"bucket/x" is not a place in an S3 store');
  });

  it('refuses prefixes that no key could begin with', () => {
    expect(() => parsePlace(`s3://bucket/${'x'.repeat(1_025)}`)).toThrow('1,024 bytes');
    expect(() => parsePlace('s3://bucket/\ud800')).toThrow('valid Unicode');
  });

  it('never overlaps with another bucket, and with its own exactly when copies would be listed again', () => {
    fc.assert(
      fc.property(prefix, prefix, fc.string(), (from, to, name) => {
        expect(overlapOf({ bucket: 'one', prefix: from }, { bucket: 'two', prefix: to })).toBeNull();
        const overlap = overlapOf({ bucket: 'one', prefix: from }, { bucket: 'one', prefix: to });
        // The copy of any key lies below the source again.
        expect(overlap !== null).toBe((to + name).startsWith(from) && to.startsWith(from));
        expect(overlap === 'same').toBe(from === to);
      }),
    );
  });

  it('tells when folders would run into names', () => {
    expect(joins('photos/', 'archive')).toBe(true);
    expect(joins('', 'archive')).toBe(true);
    expect(joins('photos/', 'archive/')).toBe(false);
    expect(joins('photos/', '')).toBe(false);
    expect(joins('photos', 'archive')).toBe(false);
  });
});

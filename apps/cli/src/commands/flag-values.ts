import { InvalidArgumentError } from 'commander';

/** Parser for an option that takes a whole number between two bounds. */
export function wholeNumber(lowest: number, highest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < lowest || value > highest) {
      throw new InvalidArgumentError(`It must be a whole number from ${lowest} to ${highest}.`);
    }
    return value;
  };
}

/** Parser for an option that takes a number, perhaps with decimals, between two bounds. */
export function decimalNumber(lowest: number, highest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+(\.\d+)?$/.test(text) || value < lowest || value > highest) {
      throw new InvalidArgumentError(`It must be a number from ${lowest} to ${highest}.`);
    }
    return value;
  };
}

/** Two numbers of seconds with the lower first, `30-300`. */
export function secondsRange(text: string): [number, number] {
  const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text);
  const low = Number(match?.[1]);
  const high = Number(match?.[2]);
  if (match === null || low > high) {
    throw new InvalidArgumentError('It must be two numbers of seconds, the lower first, for example 30-300.');
  }
  return [low, high];
}

/** Parser for addresses of consoles of one group: separated by commas, or the option repeated. */
export function consoleAddresses(text: string, before: readonly string[] = []): string[] {
  const addresses = text.split(',').map((address) => address.trim());
  const empty = addresses.indexOf('');
  if (empty !== -1) {
    throw new InvalidArgumentError(`Address ${empty + 1} is empty; write http://a:8180,http://b:8180 without spaces.`);
  }
  return [...before, ...addresses];
}

/** Parser for a list that is separated by commas, or the option repeated. */
export function listed(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(',').map((part) => part.trim())];
}

/** Parser for days by kind, `jobs=90,audit=1000`; the command knows which kinds there are. */
export function daysByKind(text: string, before: Readonly<Record<string, number>> = {}): Record<string, number> {
  const pairs = text.split(',').map((part) => /^\s*([a-z]+)=(\d{1,6})\s*$/.exec(part));
  if (pairs.includes(null)) {
    throw new InvalidArgumentError('It must be kinds with whole numbers of days, for example jobs=90,audit=1000.');
  }
  return { ...before, ...Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', Number(pair?.[2])])) };
}

/** Parser for an option that can be repeated. */
export function collected(text: string, before: readonly string[]): string[] {
  return [...before, text];
}

/** Parser for an option that takes one of a few words. */
export function oneOf<Word extends string>(...words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((each) => each === text);
    if (word === undefined) throw new InvalidArgumentError(`It must be ${words.join(', ')}.`);
    return word;
  };
}

const UNIT_BYTES: Readonly<Record<string, number>> = {
  '': 1,
  K: 1_024,
  M: 1_024 ** 2,
  G: 1_024 ** 3,
  T: 1_024 ** 4,
};

/** `512`, `4K`, `4KiB`, `1.5GiB` in bytes; binary units, as S3 part sizes are. */
export function sizeInBytes(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?$/i.exec(text) ?? [];
  const bytes = Math.round(Number(number) * (UNIT_BYTES[unit.toUpperCase()] ?? 0));
  if (number === '' || !Number.isSafeInteger(bytes)) {
    throw new InvalidArgumentError('It must be a number of bytes, or a number with K, M, G or T, for example 8MiB.');
  }
  return bytes;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Parser for a moment: a date (`2026-11-30`, UTC, or with time and zone), or how long ago (`36h`, `7d`). In ms since 1970. */
export function moment(nowMs: () => number): (text: string) => number {
  return (text) => {
    const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
    if (count !== undefined) return nowMs() - Number(count) * (UNIT_MS[unit] ?? 0);
    const atMs = DATE.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(atMs)) {
      throw new InvalidArgumentError(
        'It must be a date such as 2026-11-30 or 2026-11-30T14:00Z, or an age such as 36h or 7d.',
      );
    }
    return atMs;
  };
}

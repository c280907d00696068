/** What a reply looks like, which depends on the request: the protocol does not say it. */
export type ReplyShape =
  /** One line; a data block follows a line that begins with `VA`. */
  | 'meta'
  /** One line. */
  | 'line'
  /** Lines up to `END`. */
  | 'lines'
  /** At most one `VALUE` line with its data block, then `END`. */
  | 'value';

/** One reply. All texts are latin1: one character a byte. */
export interface Reply {
  /** Its (first) line without the line end. */
  readonly line: string;
  /** The data block; `undefined` where none was sent. */
  readonly body: string | undefined;
  /** The lines of a reply in lines, without the end mark. */
  readonly lines: readonly string[];
}

/** Why a conditional write did nothing. */
export type NotDone = 'absent' | 'changed';

/** The bytes are no reply of the shape due: the stream cannot be trusted any more. */
export class ProtocolError extends Error {}

/** Longest line accepted: a key of 250 bytes and every flag fit ten times. */
const MAX_LINE = 4_096;

/** Largest data block accepted, in bytes; memcached's own default is 1 MiB. */
const MAX_BODY = 8 * 1024 * 1024;

/** Most lines in one reply; `stats` of a large server has some hundreds. */
const MAX_LINES = 100_000;

const NO_LINES: readonly string[] = [];
const ERROR_LINE = /^(?:ERROR|CLIENT_ERROR|SERVER_ERROR)\b/;

/** Whether a line reports an error; such a line ends its reply whatever shape was due. */
export function isErrorLine(line: string): boolean {
  return ERROR_LINE.test(line);
}

/** Cuts a stream of bytes into replies, however the network has cut it before. */
export class ReplyReader {
  #text = '';
  #at = 0;

  /** Adds received bytes as latin1. */
  push(bytes: string): void {
    this.#text = this.#at === this.#text.length ? bytes : this.#text.slice(this.#at) + bytes;
    this.#at = 0;
  }

  /** Whether bytes are waiting to be read. */
  get hasUnread(): boolean {
    return this.#at < this.#text.length;
  }

  /** Forgets everything. */
  clear(): void {
    this.#text = '';
    this.#at = 0;
  }

  /**
   * The next reply; `undefined` while it is incomplete.
   * @param prefix what a `meta` reply may begin with although it holds line ends: `ME <raw key> `.
   * @throws {ProtocolError} when the bytes are no such reply.
   */
  read(shape: ReplyShape, prefix = ''): Reply | undefined {
    const line = this.#line(this.#at, prefix);
    if (line === undefined) return undefined;
    const after = this.#at + line.length + 2;
    if (isErrorLine(line)) return this.#done(after, { line, body: undefined, lines: NO_LINES });
    switch (shape) {
      case 'meta':
        return line.startsWith('VA ') ? this.#withBody(line, after) : this.#done(after, bare(line));
      case 'line':
        return this.#done(after, bare(line));
      case 'lines':
        return this.#untilEnd();
      case 'value':
        return this.#value(line, after);
      default:
        return shape satisfies never;
    }
  }

  #done(end: number, reply: Reply): Reply {
    this.#at = end;
    return reply;
  }

  #line(from: number, prefix = ''): string | undefined {
    const skipped = prefix !== '' && this.#text.startsWith(prefix, from) ? prefix.length : 0;
    const end = this.#text.indexOf('\r\n', from + skipped);
    const length = (end === -1 ? this.#text.length : end) - from;
    if (length > MAX_LINE) throw new ProtocolError(`a line of more than ${MAX_LINE} bytes`);
    return end === -1 ? undefined : this.#text.slice(from, end);
  }

  #withBody(line: string, from: number): Reply | undefined {
    const size = sizeIn(line, 1);
    const body = this.#body(from, size);
    return body === undefined ? undefined : this.#done(from + size + 2, { line, body, lines: NO_LINES });
  }

  #body(from: number, size: number): string | undefined {
    const end = from + size;
    if (this.#text.length < end + 2) return undefined;
    if (!this.#text.startsWith('\r\n', end)) throw new ProtocolError('a data block that does not end where it should');
    return this.#text.slice(from, end);
  }

  #untilEnd(): Reply | undefined {
    const lines: string[] = [];
    let at = this.#at;
    for (;;) {
      const line = this.#line(at);
      if (line === undefined) return undefined;
      at += line.length + 2;
      if (line === 'END') return this.#done(at, { line, body: undefined, lines });
      if (lines.push(line) > MAX_LINES) throw new ProtocolError(`more than ${MAX_LINES} lines`);
    }
  }

  #value(line: string, from: number): Reply | undefined {
    if (line === 'END') return this.#done(from, bare(line));
    if (!line.startsWith('VALUE ')) throw new ProtocolError(`neither VALUE nor END: ${line.slice(0, 60)}`);
    const size = sizeIn(line, 3);
    const body = this.#body(from, size);
    if (body === undefined) return undefined;
    const end = from + size + 2;
    const last = this.#line(end);
    if (last === undefined) return undefined;
    if (last !== 'END') throw new ProtocolError('more than one value where one was asked for');
    return this.#done(end + last.length + 2, { line, body, lines: NO_LINES });
  }
}

function bare(line: string): Reply {
  return { line, body: undefined, lines: NO_LINES };
}

/** The size of a data block: the word with this index. */
function sizeIn(line: string, word: number): number {
  const text = line.split(' ', word + 1)[word] ?? '';
  const size = /^\d{1,8}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (size > MAX_BODY) throw new ProtocolError(`a data block of ${JSON.stringify(text)} bytes`);
  return size;
}

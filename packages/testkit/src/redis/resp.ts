/** A reply of the RESP2 protocol, decoded. Errors are values here: a pipeline has some of both. */
export type RespValue = string | number | null | RespError | RespValue[];

/** An error reply: `READONLY You can't write against a read only replica.` */
export class RespError extends Error {}

/** Encodes a command as an array of bulk strings. */
export function encodeCommand(args: readonly string[]): string {
  let text = `*${args.length}\r\n`;
  for (const arg of args) text += `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`;
  return text;
}

/** Encodes a reply as a server sends it. Strings travel as bulk strings; `OK` and `PONG` as simple ones. */
export function encodeReply(value: RespValue): string {
  if (value === null) return '$-1\r\n';
  if (typeof value === 'number') return `:${value}\r\n`;
  if (value instanceof RespError) return `-${value.message}\r\n`;
  if (Array.isArray(value)) return `*${value.length}\r\n${value.map(encodeReply).join('')}`;
  if (value === 'OK' || value === 'PONG') return `+${value}\r\n`;
  return `$${Buffer.byteLength(value)}\r\n${value}\r\n`;
}

interface Cursor {
  at: number;
}

/** Decodes RESP2 values from chunks of any size; serves both the commands of clients and the replies of servers. */
export class RespParser {
  #buffer: Buffer = Buffer.alloc(0);

  /** Adds a chunk and returns the values that are complete. @throws when the bytes are not RESP2. */
  push(chunk: Buffer): RespValue[] {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    const values: RespValue[] = [];
    const cursor: Cursor = { at: 0 };
    for (;;) {
      const start = cursor.at;
      const value = this.#read(cursor);
      if (value === undefined) {
        this.#buffer = this.#buffer.subarray(start);
        return values;
      }
      values.push(value);
    }
  }

  #line(cursor: Cursor): string | undefined {
    const end = this.#buffer.indexOf('\r\n', cursor.at);
    if (end === -1) return undefined;
    const line = this.#buffer.toString('utf8', cursor.at, end);
    cursor.at = end + 2;
    return line;
  }

  #read(cursor: Cursor): RespValue | undefined {
    const line = this.#line(cursor);
    if (line === undefined) return undefined;
    const rest = line.slice(1);
    switch (line.charAt(0)) {
      case '+':
        return rest;
      case '-':
        return new RespError(rest);
      case ':':
        return Number(rest);
      case '$':
        return this.#bulk(cursor, Number(rest));
      case '*':
        return this.#array(cursor, Number(rest));
      default:
        throw new Error(`not RESP2: ${line.slice(0, 40)}`);
    }
  }

  #bulk(cursor: Cursor, bytes: number): string | null | undefined {
    if (bytes < 0) return null;
    if (this.#buffer.length < cursor.at + bytes + 2) return undefined;
    const text = this.#buffer.toString('utf8', cursor.at, cursor.at + bytes);
    cursor.at += bytes + 2;
    return text;
  }

  #array(cursor: Cursor, length: number): RespValue[] | null | undefined {
    if (length < 0) return null;
    const items: RespValue[] = [];
    for (let index = 0; index < length; index += 1) {
      const item = this.#read(cursor);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  }
}

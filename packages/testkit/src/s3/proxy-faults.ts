import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a fault needs to know about a request. */
interface FaultyRequest {
  operation: string;
  target: string;
  status: number;
}

/** How a request breaks. */
export type FaultKind =
  /** An S3 error instead of an answer; the server never sees the request. Default: 503 SlowDown. */
  | { type: 'error'; status?: number; code?: string; headers?: Record<string, string> }
  /** The answer's body is cut after so many bytes, and the connection with it. */
  | { type: 'cut-body'; afterBytes: number }
  /** Status 200 with an error in the body; the server never sees the request. */
  | { type: 'error-200'; code?: string }
  /** The connection is cut before the request reaches the server. */
  | { type: 'reset' }
  /** The server does its work, and the connection is cut instead of its answer. */
  | { type: 'lost-answer' }
  /** No answer at all, and the connection stays open. */
  | { type: 'hang' }
  /** The request reaches the server later. */
  | { type: 'delay'; ms: number }
  /** The answer is replaced by this document. */
  | { type: 'body'; body: string }
  /** One bit of the answer's body is wrong. */
  | { type: 'flip-bit' };

/** A fault and the requests that it hits. */
export type ProxyFault = FaultKind & {
  /** Only this operation. Default: any. */
  operation?: string;
  /** Only targets that contain this text. Default: any. */
  targetContains?: string;
  /** How many requests it hits. Default 1. */
  times?: number;
};

/** A fault with the hits that are left. */
export interface ActiveFault {
  fault: ProxyFault;
  left: number;
}

/** A fault at work on one request. */
export interface Sabotage {
  /** Called instead of forwarding; may call `forward`. */
  apply(incoming: IncomingMessage, outgoing: ServerResponse, counted: FaultyRequest, forward: () => void): void;
  /** Called with the server's answer; true: it was taken care of. */
  response?(response: IncomingMessage, outgoing: ServerResponse, counted: FaultyRequest): boolean;
}

/** The fault that hits this request, used up by one; null for none. */
export function faultFor(faults: ActiveFault[], request: FaultyRequest): Sabotage | null {
  const active = faults.find(
    ({ fault, left }) =>
      left > 0 &&
      (fault.operation === undefined || fault.operation === request.operation) &&
      (fault.targetContains === undefined || request.target.includes(fault.targetContains)),
  );
  if (active === undefined) return null;
  active.left--;
  return sabotage(active.fault);
}

function sabotage(fault: FaultKind): Sabotage {
  switch (fault.type) {
    case 'error':
      return answer(fault.status ?? 503, errorXml(fault.code ?? 'SlowDown'), fault.headers);
    case 'error-200':
      return answer(200, errorXml(fault.code ?? 'InternalError'));
    case 'body':
      return answer(200, fault.body);
    case 'reset':
      return { apply: (incoming) => void incoming.socket.resetAndDestroy() };
    case 'hang':
      return { apply: (incoming) => void incoming.resume() };
    case 'delay':
      return { apply: (_incoming, _outgoing, _counted, forward) => void setTimeout(forward, fault.ms) };
    case 'lost-answer':
      return afterwards((response, outgoing) => {
        response.resume();
        response.once('end', () => outgoing.socket?.resetAndDestroy());
      });
    case 'cut-body':
      return afterwards((response, outgoing, counted) => cutBody(response, outgoing, counted, fault.afterBytes));
    case 'flip-bit':
      return afterwards(flipBit);
    default:
      return fault satisfies never;
  }
}

function answer(status: number, body: string, headers: Record<string, string> = {}): Sabotage {
  return {
    apply: (incoming, outgoing, counted) => {
      counted.status = status;
      // The body has to be read, or the client could not read the answer.
      incoming.resume();
      incoming.once('end', () => {
        const length = Buffer.byteLength(body);
        outgoing.writeHead(status, { 'content-type': 'application/xml', 'content-length': length, ...headers });
        outgoing.end(outgoing.req.method === 'HEAD' ? undefined : body);
      });
    },
  };
}

function errorXml(code: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>injected</Message><RequestId>proxy</RequestId></Error>`;
}

type ResponseFault = (response: IncomingMessage, outgoing: ServerResponse, counted: FaultyRequest) => void;

function afterwards(change: ResponseFault): Sabotage {
  return {
    apply: (_incoming, _outgoing, _counted, forward) => forward(),
    response: (response, outgoing, counted) => {
      change(response, outgoing, counted);
      return true;
    },
  };
}

function cutBody(
  response: IncomingMessage,
  outgoing: ServerResponse,
  counted: FaultyRequest,
  afterBytes: number,
): void {
  counted.status = response.statusCode ?? 0;
  outgoing.writeHead(counted.status, response.rawHeaders);
  outgoing.flushHeaders();
  let left = afterBytes;
  response.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (part.length > 0) outgoing.write(part);
    if (left > 0) return;
    response.removeAllListeners('data');
    response.resume();
    // An orderly end of the connection, as by a server that stops in the middle.
    outgoing.socket?.end();
  });
}

function flipBit(response: IncomingMessage, outgoing: ServerResponse, counted: FaultyRequest): void {
  counted.status = response.statusCode ?? 0;
  outgoing.writeHead(counted.status, response.rawHeaders);
  let flipped = false;
  response.on('data', (chunk: Buffer) => {
    const copy = Buffer.from(chunk);
    if (!flipped && copy.length > 0) {
      copy[0] = (copy[0] ?? 0) ^ 1;
      flipped = true;
    }
    outgoing.write(copy);
  });
  response.once('end', () => outgoing.end());
}

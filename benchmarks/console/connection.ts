import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

interface Waiting {
  resolve: (answer: { status: number; body: string }) => void;
  reject: (error: Error) => void;
}

/**
 * One keep-alive connection that sends JSON over HTTP/1.1, one request at a time, with next to no work of its own: the
 * generator shares the machine with what it measures.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #host: string;
  #waiting: Waiting | null = null;
  #received = '';

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#read(chunk));
    socket.on('close', () => this.#waiting?.reject(new Error('the console closed a connection')));
    socket.on('error', (error) => this.#waiting?.reject(error));
  }

  static async open({ hostname, port, host }: URL): Promise<Connection> {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Connection(socket, host);
  }

  post(path: string, bearer: string, body: string): Promise<{ status: number; body: string }> {
    const head =
      `POST ${path} HTTP/1.1\r\nHost: ${this.#host}\r\nAuthorization: Bearer ${bearer}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(head + body, 'latin1');
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#received += chunk;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#received)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) {
      this.#waiting?.reject(new Error('an answer without a length'));
      return;
    }
    const end = headEnd + 4 + length;
    if (this.#received.length < end) return;
    const answer = { status: Number(this.#received.slice(9, 12)), body: this.#received.slice(headEnd + 4, end) };
    this.#received = this.#received.slice(end);
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(answer);
  }
}

import { connect as connectPlain, type LookupFunction } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { ServerAddress } from './addresses.ts';

/** What a connection needs of a socket; tests script their own. */
export interface Wire {
  /** Sends latin1 text, one byte a character. */
  write(text: string): void;
  /** Stops and resumes reading, so that a slow reader slows the server down. */
  pause(): void;
  resume(): void;
  /** Ends it at once; no handler is called any more. */
  destroy(): void;
}

/** What a socket reports. */
export interface WireHandlers {
  opened(): void;
  received(bytes: string): void;
  /** It is gone; `cause` is absent when the other side closed it in good order. */
  lost(cause: Error | undefined): void;
}

/** Opens a socket; failures are reported, never thrown. */
export type OpenWire = (address: ServerAddress, handlers: WireHandlers) => Wire;

/** After this long without traffic the system asks whether the other side is there, in ms. */
const KEEP_ALIVE_MS = 30_000;

/**
 * Sockets of the host.
 * @param tls options for servers that are reached over TLS.
 * @param lookup name resolution, as in `net.connect`; default the system's.
 */
export function hostSockets(tls: ConnectionOptions = {}, lookup?: LookupFunction): OpenWire {
  const named = lookup === undefined ? {} : { lookup };
  return (address, handlers) => {
    const socket =
      address.path !== undefined
        ? connectPlain({ path: address.path })
        : address.tls
          ? connectTls({ servername: address.host, ...tls, ...named, host: address.host, port: address.port })
          : connectPlain({ ...named, host: address.host, port: address.port });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    let failure: Error | undefined;
    let live = true;
    socket.once(address.tls ? 'secureConnect' : 'connect', () => {
      if (live) handlers.opened();
    });
    socket.on('data', (chunk: Buffer) => {
      if (live) handlers.received(chunk.toString('latin1'));
    });
    socket.on('error', (error) => {
      failure = error;
    });
    socket.once('close', () => {
      if (live) handlers.lost(failure);
    });
    return {
      write: (text) => void socket.write(text, 'latin1'),
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
      destroy: () => {
        live = false;
        socket.destroy();
      },
    };
  };
}

import { hostSockets, type OpenWire } from '../../src/sockets.ts';

/**
 * Real sockets on which a test can lose the n-th reply: the request has reached the server and was executed, the client sees the
 * connection end instead of the answer.
 */
export class FlakyWires {
  /** Replies that still pass before one is lost; negative: all pass. */
  passing = -1;
  /** Replies lost. */
  lost = 0;

  readonly open: OpenWire = (address, handlers) => {
    const wire = hostSockets()(address, {
      opened: () => handlers.opened(),
      lost: (cause) => handlers.lost(cause),
      received: (bytes) => {
        if (this.passing !== 0) {
          if (this.passing > 0) this.passing -= 1;
          handlers.received(bytes);
          return;
        }
        this.passing = -1;
        this.lost += 1;
        wire.destroy();
        handlers.lost(new Error('the reply was lost'));
      },
    });
    return wire;
  };
}

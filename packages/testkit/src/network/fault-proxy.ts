import { createServer, connect } from 'node:net';
import type { Server, Socket } from 'node:net';
import { LossyNetwork, type ConnectionFate, type Loss } from './loss.ts';

/**
 * What the proxy does with what passes through it.
 *
 * - `pass`: forwards both ways.
 * - `cut-before-reply`: forwards requests; the first bytes of a reply are dropped and the connection is reset. The server has
 *   done the work and the client cannot know it.
 * - `stall`: holds bytes of both directions, in order, until the mode changes. Connections stay up.
 * - `half-open`: drops bytes of both directions silently, and tells neither side when the other one goes. Connections that were
 *   made in this mode are dead and stay so.
 * - `refuse`: resets open connections and new ones.
 */
export type FaultMode = 'pass' | 'cut-before-reply' | 'stall' | 'half-open' | 'refuse';

/** A TCP proxy on loopback between a client and a real server, for tests of broken networks. */
export interface FaultProxy {
  readonly host: string;
  readonly port: number;
  readonly mode: FaultMode;
  /** Connections accepted since the start. */
  readonly accepted: number;
  /** Connections that are open now. */
  readonly open: number;
  /** Bytes that clients sent, forwarded or not. */
  readonly bytesUp: number;
  /** Bytes that the server sent, forwarded or not. */
  readonly bytesDown: number;
  setMode(mode: FaultMode): void;
  /** Goes back to `pass` by itself after `count` connections were cut; only with `cut-before-reply`. */
  cutReplies(count: number): void;
  /** Delays every chunk of each direction by `delayMs`; 0 ends it. Order is kept. */
  setDelay(delayMs: number): void;
  /** Loses a part of what passes, as TCP shows that to its users (see `Loss`); null ends it. Open connections live on. */
  setLoss(loss: Loss | null): void;
  /** Resets every open connection now; new ones are accepted. */
  resetAll(): void;
  /** New connections go to another port, as when an address moves to another server. */
  retarget(port: number): void;
  close(): Promise<void>;
}

interface Wire {
  readonly from: Socket;
  readonly to: Socket;
  /** What a stall, a delay or a loss holds back. The end of a stream (null) waits for its turn like its bytes. */
  readonly held: { readonly chunk: Buffer | null; readonly arrivedMs: number; readonly lostMs: number }[];
  timer: NodeJS.Timeout | undefined;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  readonly up: Wire;
  readonly down: Wire;
  /** Nothing passes before this moment, because the SYN was lost. */
  readonly opensAtMs: number;
  /** Bytes of this pair were lost, so its streams can never be in step again. */
  broken: boolean;
  /** One side has closed in good order; what it sent is still on its way. */
  closing: boolean;
}

interface State {
  mode: FaultMode;
  delayMs: number;
  loss: LossyNetwork | null;
  cutsLeft: number;
  accepted: number;
  bytesUp: number;
  bytesDown: number;
  readonly pairs: Set<Pair>;
}

/** Starts a proxy that listens on a free loopback port and connects to the server for each connection. */
export async function startFaultProxy(to: { port: number; host?: string }): Promise<FaultProxy> {
  const target = { ...to };
  const state: State = {
    mode: 'pass',
    delayMs: 0,
    loss: null,
    cutsLeft: Number.POSITIVE_INFINITY,
    accepted: 0,
    bytesUp: 0,
    bytesDown: 0,
    pairs: new Set(),
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    state.accepted += 1;
    if (state.mode === 'refuse') client.resetAndDestroy();
    else admit(state, client, target);
  });
  const port = await listen(server);
  return {
    host: '127.0.0.1',
    port,
    get mode() {
      return state.mode;
    },
    get accepted() {
      return state.accepted;
    },
    get open() {
      return state.pairs.size;
    },
    get bytesUp() {
      return state.bytesUp;
    },
    get bytesDown() {
      return state.bytesDown;
    },
    setMode: (mode) => changeMode(state, mode, Number.POSITIVE_INFINITY),
    cutReplies: (count) => changeMode(state, 'cut-before-reply', count),
    setDelay: (delayMs) => {
      state.delayMs = delayMs;
      for (const pair of state.pairs) release(state, pair);
    },
    setLoss: (loss) => {
      state.loss = loss === null ? null : new LossyNetwork(loss);
    },
    resetAll: () => resetAll(state),
    retarget: (port) => {
      target.port = port;
    },
    close: async () => {
      resetAll(state);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no TCP port');
  return address.port;
}

function changeMode(state: State, mode: FaultMode, cuts: number): void {
  state.mode = mode;
  state.cutsLeft = cuts;
  if (mode === 'refuse') resetAll(state);
  if (mode === 'half-open') {
    for (const pair of state.pairs) pair.broken = true;
  }
  for (const pair of state.pairs) release(state, pair);
}

function admit(state: State, client: Socket, target: { port: number; host?: string }): void {
  const fate = state.loss?.connectionFate() ?? { type: 'lives', delayMs: 0 };
  if (fate.type === 'reset') client.resetAndDestroy();
  else openPair(state, client, target, fate);
}

function openPair(
  state: State,
  client: Socket,
  target: { port: number; host?: string },
  fate: Exclude<ConnectionFate, { type: 'reset' }>,
): void {
  const server = connect({ port: target.port, host: target.host ?? '127.0.0.1', allowHalfOpen: true });
  client.setNoDelay(true);
  server.setNoDelay(true);
  const pair: Pair = {
    client,
    server,
    up: { from: client, to: server, held: [], timer: undefined },
    down: { from: server, to: client, held: [], timer: undefined },
    opensAtMs: fate.type === 'lives' && fate.delayMs > 0 ? performance.now() + fate.delayMs : 0,
    broken: state.mode === 'half-open' || fate.type === 'mute',
    closing: false,
  };
  state.pairs.add(pair);
  client.on('data', (chunk: Buffer) => {
    state.bytesUp += chunk.length;
    arrive(state, pair, pair.up, chunk);
  });
  server.on('data', (chunk: Buffer) => {
    state.bytesDown += chunk.length;
    if (state.mode === 'cut-before-reply') cutPair(state, pair);
    else arrive(state, pair, pair.down, chunk);
  });
  for (const socket of [client, server]) {
    // A broken pair tells nobody: that is what half-open means.
    socket.on('error', () => undefined);
    socket.on('end', () => arrive(state, pair, socket === client ? pair.up : pair.down, null));
    socket.on('close', (hadError: boolean) => {
      if (pair.broken && socket === server) return;
      pair.closing = !hadError && !pair.broken;
      if (!pair.closing || !isHolding(pair)) dropPair(state, pair);
    });
  }
}

function cutPair(state: State, pair: Pair): void {
  dropPair(state, pair);
  state.cutsLeft -= 1;
  if (state.cutsLeft <= 0) changeMode(state, 'pass', Number.POSITIVE_INFINITY);
}

function arrive(state: State, pair: Pair, wire: Wire, chunk: Buffer | null): void {
  if (pair.broken) return;
  wire.held.push({ chunk, arrivedMs: performance.now(), lostMs: state.loss?.chunkDelayMs() ?? 0 });
  releaseWire(state, pair, wire);
}

function release(state: State, pair: Pair): void {
  for (const wire of [pair.up, pair.down]) {
    if (pair.broken) wire.held.length = 0;
    releaseWire(state, pair, wire);
  }
}

function releaseWire(state: State, pair: Pair, wire: Wire): void {
  clearTimeout(wire.timer);
  wire.timer = undefined;
  if (state.mode === 'stall') return;
  for (let next = wire.held[0]; next !== undefined; next = wire.held[0]) {
    const dueMs = Math.max(pair.opensAtMs, next.arrivedMs + next.lostMs + state.delayMs);
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) {
      wire.timer = setTimeout(() => releaseWire(state, pair, wire), Math.ceil(waitMs));
      return;
    }
    wire.held.shift();
    if (next.chunk === null) wire.to.end();
    else if (wire.to.writable) wire.to.write(next.chunk);
  }
  if (pair.closing && !isHolding(pair)) dropPair(state, pair);
}

function isHolding(pair: Pair): boolean {
  return pair.up.held.length > 0 || pair.down.held.length > 0;
}

function dropPair(state: State, pair: Pair): void {
  if (!state.pairs.delete(pair)) return;
  for (const wire of [pair.up, pair.down]) {
    clearTimeout(wire.timer);
    // Resetting at once would lose a last reply that was forwarded already: flush it, then close.
    if (wire.to.writable && state.mode === 'pass' && !pair.broken) wire.to.destroySoon();
    else wire.to.resetAndDestroy();
  }
}

function resetAll(state: State): void {
  for (const pair of state.pairs) {
    state.pairs.delete(pair);
    for (const socket of [pair.client, pair.server]) socket.resetAndDestroy();
    for (const wire of [pair.up, pair.down]) clearTimeout(wire.timer);
  }
}

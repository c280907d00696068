import { QuotaError } from '@weir/quota';
import type { IoredisClient, RedisCommands } from '../redis-commands.ts';

/** The parts of an ioredis command that are used. */
interface Command {
  readonly promise: Promise<unknown>;
  args: readonly unknown[];
  pipelineIndex?: number;
  getKeys(): readonly unknown[];
}

type CommandConstructor = new (
  name: string,
  args: readonly string[],
  options: { replyEncoding: string; keyPrefix: string },
) => Command;

/** The parts of an ioredis client that are used. */
interface Client {
  readonly status: string;
  readonly isCluster?: boolean;
  readonly options: { readonly keyPrefix?: string; readonly sentinels?: unknown };
  /** The application has ended it. */
  readonly manuallyClosing?: boolean;
  readonly slots?: readonly (readonly string[] | undefined)[];
  readonly stream?: { readonly writable: boolean; cork(): void; uncork(): void };
  sendCommand(command: Command): unknown;
  pipeline(): { call(name: string): unknown };
  nodes?(role: 'master'): readonly Client[];
  disconnect(reconnect: boolean): void;
  connect(): Promise<void>;
  on(event: 'connecting' | 'close' | 'end', listener: () => void): unknown;
}

/** Whether the object has the shape of an ioredis client. */
export function isIoredis(client: object): client is IoredisClient & Client {
  return (
    'call' in client &&
    typeof client.call === 'function' &&
    'pipeline' in client &&
    typeof client.pipeline === 'function' &&
    'status' in client &&
    typeof client.status === 'string'
  );
}

/**
 * The class of commands, found through a pipeline that is never run: ioredis does not export it with every version, and an
 * application may hold another copy of the library than the one that an import here would find.
 */
function commandClass(client: Client): CommandConstructor {
  const pipeline = client.pipeline();
  pipeline.call('ping');
  const queue: unknown = Reflect.get(pipeline, '_queue');
  const command: unknown = Array.isArray(queue) ? queue[0] : undefined;
  const found = typeof command === 'object' ? command?.constructor : undefined;
  if (typeof found !== 'function') {
    throw new QuotaError('invalid-argument', 'this version of ioredis is not supported; use 5 or 6');
  }
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the shape is checked by the adapter's tests against ioredis
  return found as CommandConstructor;
}

const watched = new WeakSet<Client>();

/**
 * With `failoverDetector` a client hangs up when a Sentinel names another primary. When that comes while it connects, which is
 * what it does after the death of a primary, it ends for good and asks none of its strategies. It is made to connect again.
 */
function keepConnecting(client: Client): void {
  if (!Array.isArray(client.options.sentinels) || watched.has(client)) return;
  watched.add(client);
  let isConnecting = client.status === 'connecting';
  client.on('connecting', () => {
    isConnecting = true;
  });
  // An end after this is the decision of a strategy, or of the application.
  client.on('close', () => {
    isConnecting = false;
  });
  client.on('end', () => {
    if (isConnecting && client.manuallyClosing !== true) client.connect().catch(() => undefined);
  });
}

/** The port over an ioredis client: single server, Sentinel or Cluster. */
export function ioredisCommands(client: Client): RedisCommands {
  const Command = commandClass(client);
  const isCluster = client.isCluster === true;
  keepConnecting(client);
  const keyPrefix = client.options.keyPrefix ?? '';
  const make = (args: readonly string[]): Command => {
    const [name = '', ...texts] = args;
    // The constructor flattens arguments and turns each into a text. These are flat texts already, and there are many.
    const isPlain = keyPrefix === '';
    const command = new Command(name, isPlain ? [] : texts, { replyEncoding: 'utf8', keyPrefix });
    if (isPlain) command.args = texts;
    // ioredis sends commands again that were cut off (autoResendUnfulfilledCommands), and with that option off it never
    // settles them. It rejects at once the remains of a pipeline that was answered in part; an index that no pipeline has
    // makes every command such a remainder.
    command.pipelineIndex = -1;
    return command;
  };
  let wasReady = false;
  /** A client that is connecting for the first time queues; one that lost its server must not. */
  const assertUp = (): void => {
    wasReady ||= client.status === 'ready';
    // The server has closed its half, and the client has not noticed: what it is given now waits for the next connection.
    const isEnding = client.status === 'ready' && client.stream?.writable === false;
    if (!isEnding && (client.status === 'ready' || (!wasReady && client.status !== 'end'))) return;
    const status = isEnding ? 'its connection ends' : client.status;
    throw new QuotaError('store-unavailable', `the ioredis client is not connected (${status})`);
  };
  let isCorked = false;
  /** What one turn of the event loop sends leaves as one write; else every command would be a packet of its own. */
  const cork = (): void => {
    const stream = isCluster ? undefined : client.stream;
    if (isCorked || stream === undefined) return;
    isCorked = true;
    stream.cork();
    setImmediate(() => {
      isCorked = false;
      stream.uncork();
    });
  };
  const dispatch = (args: readonly string[], to: Client = client): Promise<unknown> => {
    const command = make(args);
    cork();
    to.sendCommand(command);
    return command.promise;
  };
  return {
    client: 'ioredis',
    isCluster,
    keyPrefix,
    send: async (args) => {
      assertUp();
      return dispatch(args);
    },
    sendAll: (commands) => {
      try {
        assertUp();
      } catch (error) {
        return commands.map(() => Promise.reject(error));
      }
      return commands.map((args) => dispatch(args));
    },
    sendToPrimaries: async (args) => {
      assertUp();
      return Promise.all((client.nodes?.('master') ?? [client]).map((node) => dispatch(args, node)));
    },
    nodeOf: (slot) => client.slots?.[slot]?.[0],
    knows: (command) => make([command, 'key']).getKeys().length === 1,
    reconnect: () => {
      if (!isCluster && client.status === 'ready') client.disconnect(true);
    },
  };
}

import type { RedisCommands } from '../../src/index.ts';

/** Commands that are recorded and answered by a function; an `Error` that it returns rejects. */
export interface RecordingCommands extends RedisCommands {
  readonly sent: (readonly string[])[];
  /** How often a reconnection was asked for. */
  readonly reconnects: number;
}

/** @param answer to one command, at once. */
export function recordingCommands(
  answer: (args: readonly string[]) => unknown,
  changes: Partial<RedisCommands> = {},
): RecordingCommands {
  const sent: (readonly string[])[] = [];
  let reconnects = 0;
  const send = async (args: readonly string[]): Promise<unknown> => {
    sent.push(args);
    const reply = answer(args);
    if (reply instanceof Error) throw reply;
    return reply;
  };
  return {
    client: 'recording',
    isCluster: false,
    keyPrefix: '',
    send,
    sendAll: (commands) => commands.map((args) => send(args)),
    sendToPrimaries: async (args) => [await send(args)],
    nodeOf: (slot) => `node-${slot % 3}`,
    knows: () => true,
    reconnect: () => {
      reconnects += 1;
    },
    ...changes,
    sent,
    get reconnects() {
      return reconnects;
    },
  };
}

import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { RedisServer } from '@weir/testkit/redis';

/** What takes cost the server, each. */
export interface ServerCosts {
  /** Commands that the client sent. */
  readonly sent: number;
  /** Commands that ran inside scripts. */
  readonly inScripts: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** CPU time of the server, in µs. */
  readonly cpuUs: number;
}

/** Runs `takes` takes and returns what the server spent on each. */
export async function costsOf(server: RedisServer, takes: number, run: () => Promise<unknown>): Promise<ServerCosts> {
  const [idleFrom, before] = [await counters(server), await counters(server)];
  await run();
  const after = await counters(server);
  // What asking itself adds between two answers.
  const asking = difference(idleFrom, before);
  const spent = difference(before, after);
  const each = (name: keyof Counters): number => Math.max(0, spent[name] - asking[name]) / takes;
  const { sent, inScripts } = await countCommands(server.port, run);
  return {
    sent: sent / takes,
    inScripts: inScripts / takes,
    bytesIn: each('bytesIn'),
    bytesOut: each('bytesOut'),
    cpuUs: each('cpuUs'),
  };
}

interface Counters {
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly cpuUs: number;
}

function difference(from: Counters, to: Counters): Counters {
  return { bytesIn: to.bytesIn - from.bytesIn, bytesOut: to.bytesOut - from.bytesOut, cpuUs: to.cpuUs - from.cpuUs };
}

async function counters(server: RedisServer): Promise<Counters> {
  const info = String(await server.command('INFO', 'everything'));
  const read = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return {
    bytesIn: read('total_net_input_bytes'),
    bytesOut: read('total_net_output_bytes'),
    cpuUs: (read('used_cpu_user') + read('used_cpu_sys')) * 1e6,
  };
}

const END = 'weir-bench-end';

/** Counts commands by MONITOR, which tells those of clients and those of scripts apart. */
async function countCommands(
  port: number,
  run: () => Promise<unknown>,
): Promise<{ readonly sent: number; readonly inScripts: number }> {
  const monitor = connect({ port, host: '127.0.0.1' });
  // A connection in MONITOR may not send, so another one says where the end is.
  const marker = connect({ port, host: '127.0.0.1' });
  try {
    monitor.write('MONITOR\r\n');
    const lines = createInterface({ input: monitor })[Symbol.asyncIterator]();
    // Its own OK.
    await lines.next();
    await run();
    marker.write(`ECHO ${END}\r\n`);
    let sent = 0;
    let inScripts = 0;
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      if (line.value.includes(END)) break;
      if (/^\+[\d.]+ \[\d+ lua\]/.test(line.value)) inScripts += 1;
      else sent += 1;
    }
    return { sent, inScripts };
  } finally {
    monitor.destroy();
    marker.destroy();
  }
}

import { once } from 'node:events';
import { createClient, withSessionCookies } from '@weir/client';
import type { MonitorView } from '@weir/protocol';
import { CommandError, EXIT_CODES } from '../output/command-error.ts';
import { formatCount, formatPercent } from '../output/figures.ts';
import { untilAskedToEnd } from '../output/run-until-signal.ts';
import type { Terminal } from '../output/terminal.ts';
import { openLiveScreen } from '../top/live-screen.ts';
import { MonitorReader, type MonitorReading } from '../top/monitor-reader.ts';
import { askHidden, readPassword } from '../top/password.ts';
import { pageOf, renderTop } from '../top/top-screen.ts';
import { pressKey, type TopState } from '../top/top-state.ts';
import type { TopFlags } from './top-options.ts';

/** A console that does not answer is asked again after this time, in ms (or a window, if that is shorter). */
const RETRY_MS = 5_000;
/** Width of a report that goes to a file or a pipe. */
const PLAIN_COLUMNS = 100;

/** `weir top`: the monitor in a terminal, until `q` or Ctrl-C; plain lines or JSON elsewhere. */
export async function topCommand(flags: TopFlags, terminal: Terminal): Promise<number> {
  const seen: Seen = { address: flags.console[0] ?? '' };
  const client = clientOf(flags.console, (address) => (seen.address = address));
  const password = await readPassword({
    passwordFile: flags.passwordFile,
    environment: process.env,
    ask: process.stdin.isTTY && process.stderr.isTTY ? () => askHidden(`Password of ${flags.user}: `) : null,
  });
  const reader = new MonitorReader(client, { username: flags.user, password }, () => performance.now());
  await reader.logIn();
  try {
    const first = await reader.read();
    if (flags.once) terminal.out(report(first, flags, seen));
    else if (flags.json || !process.stdout.isTTY) await follow(reader, first, flags, terminal);
    else await watch(reader, first, seen);
    return EXIT_CODES.ok;
  } finally {
    await reader.logOut();
  }
}

/** The console that answered last. */
interface Seen {
  address: string;
}

function clientOf(baseUrl: readonly string[], onAddress: (address: string) => void): ReturnType<typeof createClient> {
  try {
    return createClient({ baseUrl, onAddress, fetch: withSessionCookies(), timeoutMs: 10_000 });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CommandError('options-invalid', message, { cause: error });
  }
}

/** The picture, or the JSON, once. */
function report(reading: MonitorReading, flags: TopFlags, { address }: Seen): string {
  if (flags.json) return `${JSON.stringify(reading.view)}\n`;
  const lines = renderTop({
    ...reading,
    consoleUrl: address,
    state: { sort: 'name', offset: 0 },
    columns: process.stdout.isTTY ? process.stdout.columns || 80 : PLAIN_COLUMNS,
    lines: null,
    colours: wantsColours(),
    nowMs: reading.view.generatedAtMs,
    nextAtMs: null,
    problem: null,
  });
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function wantsColours(): boolean {
  const { NO_COLOR: refused, TERM: kind } = process.env;
  return process.stdout.isTTY && (refused === undefined || refused === '') && kind !== 'dumb';
}

/** A line, or a JSON object, per refresh, for logs and pipes. */
async function follow(
  reader: MonitorReader,
  first: MonitorReading,
  flags: TopFlags,
  terminal: Terminal,
): Promise<void> {
  const say = (view: MonitorView): void => terminal.out(flags.json ? `${JSON.stringify(view)}\n` : summary(view));
  say(first.view);
  const ended = untilAskedToEnd({ endWithInput: false }).then(() => 'ended' as const);
  let waitMs = first.view.windowSeconds * 1_000;
  while ((await Promise.race([ended, pause(waitMs)])) !== 'ended') {
    try {
      const { view } = await reader.read();
      say(view);
      waitMs = view.windowSeconds * 1_000;
    } catch (error) {
      terminal.err(`weir: ${problemOf(error)}\n`);
      waitMs = Math.min(RETRY_MS, waitMs);
    }
  }
}

function summary(view: MonitorView): string {
  const figures = [
    new Date(view.generatedAtMs).toISOString(),
    `total ${formatCount(view.totalActualTps)} / ${formatCount(view.globalLimitTps)} TPS`,
    `utilization ${formatPercent(view.utilizationPercent)}`,
    `agents ${view.runningAgents} / ${view.registeredAgents}`,
  ];
  return `${figures.join('  ')}\n`;
}

function pause(ms: number): Promise<'due'> {
  return new Promise((resolve) => {
    setTimeout(() => resolve('due'), ms).unref();
  });
}

/** The living picture: drawn each second for its countdowns, read once per window. */
async function watch(reader: MonitorReader, first: MonitorReading, seen: Seen): Promise<void> {
  let reading = first;
  let problem: string | null = null;
  let state: TopState = { sort: 'name', offset: 0 };
  let nextAtMs = Date.now() + first.view.windowSeconds * 1_000;
  const quitting = new AbortController();
  const draw = (): void => {
    const { columns, lines } = screen.size();
    const nowMs = Date.now();
    const shared = { consoleUrl: seen.address, state, colours: wantsColours(), nowMs, nextAtMs, problem };
    screen.draw(renderTop({ ...reading, ...shared, columns, lines }));
  };
  const refresh = async (): Promise<void> => {
    const windowMs = reading.view.windowSeconds * 1_000;
    // Not again while this one is on its way.
    nextAtMs = Number.POSITIVE_INFINITY;
    try {
      reading = await reader.read();
      problem = null;
      nextAtMs = Date.now() + windowMs;
    } catch (error) {
      problem = problemOf(error);
      nextAtMs = Date.now() + Math.min(RETRY_MS, windowMs);
    }
    draw();
  };
  const screen = openLiveScreen({
    resize: () => draw(),
    key: (key) => {
      const page = pageOf(screen.size().lines, reading.view.activeAlarms.length);
      const pressed = pressKey(state, key, reading.view.rows.length, page);
      ({ state } = pressed);
      if (pressed.request === 'quit') quitting.abort();
      else if (pressed.request === 'refresh' && Number.isFinite(nextAtMs)) void refresh();
      else draw();
    },
  });
  const timer = setInterval(() => (Date.now() >= nextAtMs ? void refresh() : draw()), 1_000);
  draw();
  try {
    await Promise.race([once(quitting.signal, 'abort'), untilAskedToEnd({ endWithInput: false })]);
  } finally {
    clearInterval(timer);
    screen.close();
  }
}

function problemOf(error: unknown): string {
  return error instanceof Error ? `${error.message.replace(/\.$/, '')}.` : String(error);
}

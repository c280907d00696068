import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Daemon } from './daemon.ts';

const POLL_MS = 100;
const ANSWER_TIMEOUT_MS = 2_000;

/**
 * Waits until a daemon answers `GET path` on a loopback port with 200.
 * @param deadlineMs by `performance.now()`.
 * @throws Error naming the folder of its log when it ends, or does not answer in time.
 */
export async function untilAnswers(
  daemon: Daemon,
  { port, path, deadlineMs, logFolder }: { port: number; path: string; deadlineMs: number; logFolder: string },
): Promise<void> {
  let ended: string | null = null;
  void daemon.ended.then((how) => {
    ended = how;
  });
  while (!(await answers(port, path))) {
    if (ended !== null) throw new Error(`${daemon.name} ended with ${String(ended)}; see ${logFolder}`);
    if (performance.now() > deadlineMs) throw new Error(`${daemon.name} did not answer in time; see ${logFolder}`);
    await sleep(POLL_MS);
  }
}

function answers(port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, timeout: ANSWER_TIMEOUT_MS, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}

import { ApiError, type Client } from '@weir/client';
import type { HeartbeatRequest, HeartbeatResponse } from '@weir/protocol';

/** How heartbeats reach the console. */
export interface HeartbeatTransport {
  /**
   * Sends one heartbeat.
   * @throws whatever went wrong; `judgeHeartbeatError` says what that means
   */
  heartbeat(request: HeartbeatRequest, signal: AbortSignal): Promise<HeartbeatResponse>;
}

/**
 * Heartbeats through a client that holds the agent's credential.
 * @param timeoutMs longest time for one heartbeat, default 10,000: below it a slow console is waited for
 */
export function heartbeatsOver(client: Client, timeoutMs: number = 10_000): HeartbeatTransport {
  return { heartbeat: (body, signal) => client.call('heartbeat', { body, signal, timeoutMs }) };
}

/**
 * What a failed heartbeat means: `fatal` when the console knows this agent no longer (revoked, credential of another
 * console) or refuses its version, which no retry cures; else the least time to wait before the next try, in ms.
 */
export function judgeHeartbeatError(error: unknown): 'fatal' | number {
  if (!(error instanceof ApiError)) return 0;
  if (error.status === 401 || error.status === 403 || error.code === 'protocol-too-old') return 'fatal';
  return error.retryAfterMs ?? 0;
}

/** Whether the console refuses the content of the request: sending the same again cannot help. */
export function refusesContent(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 400 || error.status === 422);
}

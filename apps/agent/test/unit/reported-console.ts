import { ApiError, NetworkError } from '@weir/client';
import type { ProgressRequest, ProgressResponse } from '@weir/protocol';
import { progressRequest } from '@weir/protocol';

export const unreachable = new NetworkError('unreachable', 'connect ECONNREFUSED');
export const leaseLost = new ApiError({ code: 'lease-lost', status: 409, message: 'somebody else has it' });

/** The console's end of progress reports: answers at once with what it was told to, and keeps what it took. */
export class ReportedConsole {
  readonly sent: ProgressRequest[] = [];
  readonly taken: ProgressRequest[] = [];
  desired: ProgressResponse['desired'] = 'run';
  splitInto = 2;
  /** Refuses with this instead of taking. */
  error: unknown = null;
  /** Never answers. */
  silent = false;

  readonly report = async (report: ProgressRequest, signal: AbortSignal): Promise<ProgressResponse> => {
    signal.throwIfAborted();
    const parsed = structuredClone(progressRequest.parse(report));
    this.sent.push(parsed);
    if (this.silent) {
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
      });
    }
    if (this.error !== null) throw this.error;
    this.taken.push(parsed);
    return this.desired === 'split' ? { desired: 'split', splitInto: this.splitInto } : { desired: this.desired };
  };

  get last(): ProgressRequest {
    const last = this.sent.at(-1);
    if (last === undefined) throw new Error('nothing was reported');
    return last;
  }
}

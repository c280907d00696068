import type { CreditWindow } from '@weir/governor';

/** A pause of everything, with the time at which it ends. */
export interface HoldoffUnderWay {
  endsAtMs: number;
  reason: string;
  jobId: string | null;
  cancelTimer: () => void;
  /** A window that is never granted: operations wait in it, first in first out, until the holdoff opens it. */
  gate: CreditWindow;
}

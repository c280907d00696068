import { Cancellation, CancelledError } from './cancellation.ts';
import type { CopyPlan } from './copy-plan.ts';
import { announcingGate } from './gate.ts';
import type { CallContext } from './gate.ts';

/** Cleaning up after a failure is not allowed to take longer than this, in ms. */
const CLEAN_UP_TIMEOUT_MS = 15_000;

/**
 * Cleans up in a time of its own, since the run may be cancelled already, and without waiting at the gate. What cannot
 * be cleaned up stays: the failure that led here is the one to report.
 */
export async function cleanUp(
  plan: CopyPlan,
  call: CallContext,
  run: (within: CallContext) => Promise<void>,
): Promise<void> {
  const { client } = plan.target;
  const cancellation = new Cancellation();
  const done = new Cancellation();
  client.clock.sleep(CLEAN_UP_TIMEOUT_MS, done).then(
    () => cancellation.cancel(new CancelledError('the target does not answer')),
    () => undefined,
  );
  try {
    const { tally, traffic } = call;
    await run({ tally, traffic, gate: announcingGate(call.gateBelowPause ?? call.gate), cancellation });
  } catch {
    // The next attempt of these objects looks for what was left.
  } finally {
    done.cancel(new CancelledError('done'));
  }
}

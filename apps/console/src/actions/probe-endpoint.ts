import type { FieldProblem } from '@weir/protocol';
import type { ProbeRefusal, ProbeTarget } from '../ports/endpoint-probe.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/** Runs a probe for at most the time that a probe may take, whatever its implementation does. */
export async function probeWithin<T>(
  context: Pick<ConsoleContext, 'clock' | 'limits'>,
  probe: (signal: AbortSignal) => Promise<T | ProbeRefusal>,
): Promise<T | ProbeRefusal> {
  const { probeTimeoutMs } = context.limits;
  const controller = new AbortController();
  const late = new Promise<ProbeRefusal>((resolve) => {
    controller.signal.addEventListener('abort', () => {
      resolve({ ok: false, reason: 'unreachable', message: `no answer within ${probeTimeoutMs / 1_000} s` });
    });
  });
  const timer = context.clock.after(probeTimeoutMs, () => controller.abort());
  try {
    return await Promise.race([probe(controller.signal), late]);
  } catch (error) {
    if (controller.signal.aborted) return await late;
    throw error;
  } finally {
    timer.cancel();
  }
}

/** Which fields of the input are to be corrected when the server is not reached, and when it refuses the credentials. */
export interface RefusedFields {
  unreachable: Pick<FieldProblem, 'field' | 'value'>;
  refused: Pick<FieldProblem, 'field' | 'value'>;
}

/** The refusal of an endpoint that was probed. */
export function endpointRefused(refusal: ProbeRefusal, target: ProbeTarget, fields: RefusedFields): ConsoleError {
  if (refusal.reason === 'unreachable') {
    const problem = `cannot be reached: ${refusal.message}`;
    return new ConsoleError('endpoint-unreachable', `The endpoint ${target.url} ${problem}`, {
      fields: [{ ...fields.unreachable, problem }],
    });
  }
  const problem = `is refused by the endpoint: ${refusal.message}`;
  return new ConsoleError(
    'endpoint-refused-credentials',
    `The endpoint ${target.url} refuses the access key or its secret: ${refusal.message}`,
    { fields: [{ ...fields.refused, problem }] },
  );
}

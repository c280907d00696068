import type { Grant, HeartbeatResponse, LimiterInstructions } from '@weir/protocol';

/** The same object for every agent while the settings stay: gone with them. */
const instructions = new WeakMap<LimiterInstructions, string>();

/**
 * An answer to a heartbeat as JSON. Written out, because thousands are made a second; all of it is ASCII: numbers, names of
 * the protocol, and identifiers that need no escapes.
 */
export function heartbeatText(answer: HeartbeatResponse): string {
  const { limiter, grant, nextHeartbeatSeconds, consoleTimeMs, protocolVersion } = answer;
  return (
    `{"limiter":${instructionsText(limiter)},"grant":${grant === null ? 'null' : grantText(grant)},` +
    `"nextHeartbeatSeconds":${nextHeartbeatSeconds},"consoleTimeMs":${consoleTimeMs}` +
    `${protocolVersion === undefined ? '' : `,"protocolVersion":${protocolVersion}`}}`
  );
}

function instructionsText(limiter: LimiterInstructions): string {
  const known = instructions.get(limiter);
  if (known !== undefined) return known;
  const text = JSON.stringify(limiter);
  instructions.set(limiter, text);
  return text;
}

function grantText({ epoch, windowNumber, windowSeconds, allocatedTps, creditBudget, validSeconds }: Grant): string {
  return (
    `{"epoch":"${epoch}","windowNumber":${windowNumber},"windowSeconds":${windowSeconds},` +
    `"allocatedTps":${allocatedTps},"creditBudget":${creditBudget}` +
    `${validSeconds === undefined ? '' : `,"validSeconds":${validSeconds}`}}`
  );
}

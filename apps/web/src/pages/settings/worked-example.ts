import {
  DEFAULT_MULTIPART_THRESHOLD_BYTES,
  DEFAULT_PART_BYTES,
  MIN_GLOBAL_LIMIT_TPS,
  type CostModelName,
  type TransactionType,
} from '@weir/protocol';

/** Objects that one listing call returns. */
const OBJECTS_PER_LIST = 1_000;

/** The smallest object that a job copies in parts when it is not told otherwise, in bytes, and its parts. */
export const MULTIPART_OBJECT: { readonly bytes: number; readonly parts: number } = {
  bytes: DEFAULT_MULTIPART_THRESHOLD_BYTES,
  parts: DEFAULT_MULTIPART_THRESHOLD_BYTES / DEFAULT_PART_BYTES,
};

/** What a settings page says with its own values. All rates in TPS, times in seconds. */
export interface WorkedExample {
  globalLimitTps: number;
  agents: number;
  windowSeconds: number;
  /** Equal share of one agent, at least 1. */
  allocatedTps: number;
  /** `floor(allocation × window)`. */
  credits: number;
  /** A third of the window: 10 s of 30. */
  spentInSeconds: number;
  parkedSeconds: number;
  reportedTps: number;
  efficiencyPercent: number;
  /** Small objects that the credits of one window copy; null: nothing that copying does is counted. */
  objectsPerWindow: number | null;
  alarmAboveTps: number;
  clearPercent: number;
  clearBelowTps: number;
}

/**
 * Follows one agent through one window: its share, its credits, and what it reports when it spends them in a third of
 * the window.
 * @param input.agents running agents, ≥ 1
 * @param input.windowSeconds length of a credit window, > 0
 */
export function workedExample(input: {
  globalLimitTps: number;
  agents: number;
  windowSeconds: number;
  types: Readonly<Record<TransactionType, boolean>>;
  costModel: CostModelName;
  thresholdPercent: number;
}): WorkedExample {
  const globalLimitTps = Math.max(MIN_GLOBAL_LIMIT_TPS, input.globalLimitTps);
  const allocatedTps = Math.max(1, globalLimitTps / input.agents);
  const credits = Math.floor(allocatedTps * input.windowSeconds);
  const spentInSeconds = input.windowSeconds / 3;
  const reportedTps = credits / spentInSeconds;
  const clearPercent = Math.max(0, Math.min(85, input.thresholdPercent - 10));
  return {
    globalLimitTps,
    agents: input.agents,
    windowSeconds: input.windowSeconds,
    allocatedTps,
    credits,
    spentInSeconds,
    parkedSeconds: input.windowSeconds - spentInSeconds,
    reportedTps,
    efficiencyPercent: (reportedTps / allocatedTps) * 100,
    objectsPerWindow: objectsFor(credits, input.types, input.costModel),
    alarmAboveTps: (globalLimitTps * input.thresholdPercent) / 100,
    clearPercent,
    clearBelowTps: (globalLimitTps * clearPercent) / 100,
  };
}

/** What one object in one part, and one in `parts` parts, is charged; both sides of a copy. */
export function chargesOf(
  types: Readonly<Record<TransactionType, boolean>>,
  costModel: CostModelName,
  parts: number,
): { single: number; multipart: number } {
  const [get, put] = [types.GET ? 1 : 0, types.PUT ? 1 : 0];
  if (costModel === 'per-object') return { single: put, multipart: 11 * put };
  // One GET and one PUT; in parts: HEAD, a ranged GET and an UploadPart for each, begin and end of the upload.
  return { single: get + put, multipart: (1 + parts) * get + (parts + 2) * put };
}

/** Single-part objects that `credits` list and copy. */
function objectsFor(
  credits: number,
  types: Readonly<Record<TransactionType, boolean>>,
  costModel: CostModelName,
): number | null {
  const costPerList = types.LIST ? 1 : 0;
  const costPerPage = costPerList + OBJECTS_PER_LIST * chargesOf(types, costModel, 1).single;
  return costPerPage === 0 ? null : Math.floor((credits * OBJECTS_PER_LIST) / costPerPage);
}

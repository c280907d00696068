import type { AuditRunInput, AuditRunView, RepairAnswer, RepairRequest } from '@weir/protocol';
import { QuotaError, zoneNamed } from '@weir/quota';
import { DEFAULT_MAX_LIFETIME_MS } from '@weir/quota-audit';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { storeUnreachable } from './quota-store-target.ts';

/**
 * Begins to look for counters that never go away. Reads only.
 * @throws ConsoleError not-found, wrong-state, validation-failed
 */
export async function startQuotaAudit(
  context: ConsoleContext,
  input: AuditRunInput,
  actor: string,
): Promise<AuditRunView> {
  const store = context.quotas.storeViews().find((each) => each.storeId === input.storeId);
  if (store === undefined) throw new ConsoleError('not-found', `There is no store ${input.storeId}.`);
  if (store.kind === 'memory') {
    throw new ConsoleError('wrong-state', 'The memory of this console holds no counter without a deadline.');
  }
  requireFree(context, input.storeId);
  requireZone(input.zone);
  const auditId = context.random.id('aud');
  const run = await context.quotaAudits.start(auditId, input, store.name, actor);
  const detail = { store: store.name, match: input.match ?? '*' };
  await audit(context, context.storage, { actor, action: 'quota-audit.start', subject: auditId, detail });
  return run;
}

/** @throws ConsoleError not-found */
export function readQuotaAudit(context: ConsoleContext, auditId: string): AuditRunView {
  const run = context.quotaAudits.get(auditId);
  if (run === undefined) throw new ConsoleError('not-found', `There is no audit ${auditId}.`);
  return run;
}

/**
 * Stops an audit or a repair that runs; one that has ended stays as it is.
 * @throws ConsoleError not-found
 */
export async function stopQuotaAudit(context: ConsoleContext, auditId: string, actor: string): Promise<AuditRunView> {
  readQuotaAudit(context, auditId);
  await context.quotaAudits.stop(auditId, `stopped by ${actor}`);
  await audit(context, context.storage, { actor, action: 'quota-audit.stop', subject: auditId, detail: {} });
  return readQuotaAudit(context, auditId);
}

/**
 * Says what a repair would do, and, unless it is a dry run, begins it.
 * @throws ConsoleError not-found, wrong-state, validation-failed, store-unreachable
 */
export async function repairQuotaAudit(
  context: ConsoleContext,
  auditId: string,
  request: RepairRequest,
  actor: string,
): Promise<RepairAnswer> {
  const run = readQuotaAudit(context, auditId);
  if (run.report === null) throw new ConsoleError('wrong-state', 'This audit has no complete list of findings.');
  requireFree(context, run.storeId);
  if (!request.dryRun && request.confirm !== run.storeName) {
    throw new ConsoleError(
      'validation-failed',
      `Type the name of the store, ${run.storeName}, to confirm the repair.`,
      {
        fields: [{ field: 'confirm', problem: `must be the name of the store, ${run.storeName}` }],
      },
    );
  }
  const lifetime = request.lifetimeMs === undefined ? {} : { lifetimeMs: request.lifetimeMs };
  const rules = { mode: request.mode, maxLifetimeMs: DEFAULT_MAX_LIFETIME_MS, ...lifetime };
  const plan = await context.quotaAudits.plan(auditId, rules).catch((error: unknown) => {
    throw storeUnreachable(error);
  });
  if (request.dryRun) return { plan, audit: readQuotaAudit(context, auditId) };
  requireFree(context, run.storeId);
  const detail = { store: run.storeName, mode: request.mode, changes: plan.changes };
  const writeDown = (): Promise<void> =>
    audit(context, context.storage, { actor, action: 'quota-audit.repair', subject: auditId, detail });
  return { plan, audit: await context.quotaAudits.repair(auditId, rules, writeDown) };
}

function requireFree(context: ConsoleContext, storeId: string): void {
  if (!context.quotaAudits.isBusy(storeId)) return;
  throw new ConsoleError('wrong-state', 'An audit or a repair runs on this store: let it end, or stop it.');
}

function requireZone(zone: string | undefined): void {
  if (zone === undefined) return;
  try {
    zoneNamed(zone);
  } catch (error) {
    if (!(error instanceof QuotaError)) throw error;
    throw new ConsoleError('validation-failed', error.message, {
      fields: [{ field: 'zone', value: zone, problem: 'must be an IANA zone such as Europe/Berlin' }],
    });
  }
}

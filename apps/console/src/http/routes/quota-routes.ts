import type { ConsoleContext } from '../../actions/context.ts';
import { createQuotaStore } from '../../actions/create-quota-store.ts';
import { deleteQuotaStore } from '../../actions/delete-quota-store.ts';
import { deleteQuota } from '../../actions/delete-quota.ts';
import { readQuotaAudit, repairQuotaAudit, startQuotaAudit, stopQuotaAudit } from '../../actions/quota-audits.ts';
import { readQuotaUsage } from '../../actions/read-quota-usage.ts';
import { saveQuota } from '../../actions/save-quota.ts';
import { resetSubject, takeQuota } from '../../actions/take-quota.ts';
import { testQuotaStore } from '../../actions/test-quota-store.ts';
import { personOf, type Handlers } from '../call.ts';

type StoreRoutes = 'quotaStores' | 'createQuotaStore' | 'testQuotaStore' | 'deleteQuotaStore';
type DefinitionRoutes =
  | 'quotas'
  | 'createQuota'
  | 'changeQuota'
  | 'deleteQuota'
  | 'quotaUsage'
  | 'takeQuota'
  | 'resetSubject';
type AuditRoutes = 'quotaAudits' | 'startQuotaAudit' | 'quotaAudit' | 'stopQuotaAudit' | 'repairQuotaAudit';

/** Stores for counters, quotas on them, and audits of what stands in a store. */
export function quotaRoutes(context: ConsoleContext): Pick<Handlers, StoreRoutes | DefinitionRoutes | AuditRoutes> {
  return { ...storeRoutes(context), ...definitionRoutes(context), ...auditRoutes(context) };
}

function storeRoutes(context: ConsoleContext): Pick<Handlers, StoreRoutes> {
  return {
    quotaStores: () => ({ stores: context.quotas.storeViews() }),
    createQuotaStore: (call) => createQuotaStore(context, call.body, personOf(call).username),
    testQuotaStore: ({ body }) => testQuotaStore(context, body),
    async deleteQuotaStore(call) {
      await deleteQuotaStore(context, call.params.storeId, personOf(call).username);
      return {};
    },
  };
}

function definitionRoutes(context: ConsoleContext): Pick<Handlers, DefinitionRoutes> {
  return {
    quotas: () => ({ quotas: context.quotas.quotaViews() }),
    createQuota: (call) => saveQuota(context, null, call.body, personOf(call).username),
    changeQuota: (call) =>
      saveQuota(context, call.params.definitionId, call.body, personOf(call).username, call.query.ifMatch),
    async deleteQuota(call) {
      await deleteQuota(context, call.params.definitionId, personOf(call).username);
      return {};
    },
    quotaUsage: ({ params }) => readQuotaUsage(context, params.definitionId),
    takeQuota: ({ params, body }) => takeQuota(context, params.definitionId, body.subject, body.cost),
    async resetSubject(call) {
      await resetSubject(context, call.params.definitionId, call.body.subject, personOf(call).username);
      return {};
    },
  };
}

function auditRoutes(context: ConsoleContext): Pick<Handlers, AuditRoutes> {
  return {
    quotaAudits: () => ({ audits: context.quotaAudits.all() }),
    startQuotaAudit: (call) => startQuotaAudit(context, call.body, personOf(call).username),
    quotaAudit: ({ params }) => readQuotaAudit(context, params.auditId),
    stopQuotaAudit: (call) => stopQuotaAudit(context, call.params.auditId, personOf(call).username),
    repairQuotaAudit: (call) => repairQuotaAudit(context, call.params.auditId, call.body, personOf(call).username),
  };
}

import { z } from 'zod';
import { id } from './identifiers.ts';
import { madeFrom } from './made-from.ts';
import {
  auditRunInput,
  auditRunList,
  auditRunView,
  quotaInput,
  quotaList,
  quotaStoreInput,
  quotaStoreList,
  quotaStoreTestResult,
  quotaStoreView,
  quotaUsage,
  quotaView,
  repairAnswer,
  repairRequest,
  subjectReset,
  takeRequest,
  takeResult,
} from './quotas.ts';
import { route } from './route.ts';
import { empty } from './session.ts';

const storeParams = z.object({ storeId: id });
const definitionParams = z.object({ definitionId: id });
const auditParams = z.object({ auditId: id });

/** Stores for counters, quotas on them, and audits of what stands in a store. */
export const quotaRoutes = {
  quotaStores: route('GET', '/api/v1/quota-stores', 'viewer', 'Stores and their health', { response: quotaStoreList }),
  createQuotaStore: route('POST', '/api/v1/quota-stores', 'admin', 'Add a store (tested first)', {
    body: quotaStoreInput,
    response: quotaStoreView,
  }),
  testQuotaStore: route('POST', '/api/v1/quota-stores/test', 'admin', 'Test a store without saving it', {
    body: quotaStoreInput,
    response: quotaStoreTestResult,
  }),
  deleteQuotaStore: route('DELETE', '/api/v1/quota-stores/:storeId', 'admin', 'Remove a store from the console', {
    params: storeParams,
    response: empty,
  }),

  quotas: route('GET', '/api/v1/quotas', 'viewer', 'Quotas', { response: quotaList }),
  createQuota: route('POST', '/api/v1/quotas', 'admin', 'Define a quota', { body: quotaInput, response: quotaView }),
  changeQuota: route('PUT', '/api/v1/quotas/:definitionId', 'admin', 'Define a quota anew', {
    params: definitionParams,
    query: madeFrom,
    body: quotaInput,
    response: quotaView,
  }),
  deleteQuota: route(
    'DELETE',
    '/api/v1/quotas/:definitionId',
    'admin',
    'Remove a definition; counters end by themselves',
    {
      params: definitionParams,
      response: empty,
    },
  ),
  quotaUsage: route('GET', '/api/v1/quotas/:definitionId/usage', 'viewer', 'Top subjects and refusals over time', {
    params: definitionParams,
    response: quotaUsage,
  }),
  takeQuota: route('POST', '/api/v1/quotas/:definitionId/take', 'operator', 'Take from a quota', {
    params: definitionParams,
    body: takeRequest,
    response: takeResult,
  }),
  resetSubject: route('POST', '/api/v1/quotas/:definitionId/reset', 'operator', 'Let a subject begin anew', {
    params: definitionParams,
    body: subjectReset,
    response: empty,
  }),

  quotaAudits: route('GET', '/api/v1/quota-audits', 'viewer', 'Audits, newest first', { response: auditRunList }),
  startQuotaAudit: route('POST', '/api/v1/quota-audits', 'operator', 'Audit a store: reads only', {
    body: auditRunInput,
    response: auditRunView,
  }),
  quotaAudit: route('GET', '/api/v1/quota-audits/:auditId', 'viewer', 'One audit', {
    params: auditParams,
    response: auditRunView,
  }),
  stopQuotaAudit: route('POST', '/api/v1/quota-audits/:auditId/stop', 'operator', 'Stop an audit or repair', {
    params: auditParams,
    response: auditRunView,
  }),
  repairQuotaAudit: route(
    'POST',
    '/api/v1/quota-audits/:auditId/repair',
    'admin',
    'Plan or make the repairs of an audit',
    {
      params: auditParams,
      body: repairRequest,
      response: repairAnswer,
    },
  ),
} as const;

import { z } from 'zod';
import {
  agentList,
  agentQuery,
  agentView,
  enrolmentInfo,
  enrolRequest,
  enrolResponse,
  heartbeatRequest,
  heartbeatResponse,
} from './agents.ts';
import { allocationWhy } from './allocation-reason.ts';
import { consolesView } from './consoles.ts';
import { id } from './identifiers.ts';
import {
  bucketList,
  claimRequest,
  claimResponse,
  endpointInput,
  endpointList,
  endpointTestResult,
  endpointView,
  failureList,
  jobAction,
  jobInput,
  jobList,
  jobView,
  plannedList,
  progressRequest,
  progressResponse,
  repeatRequest,
  splitRequest,
  splitResponse,
} from './jobs.ts';
import { madeFrom } from './made-from.ts';
import { manifestKey, signedManifest } from './manifest.ts';
import { historyQuery, monitorHistory, monitorQuery, monitorView, windowRecordList } from './monitor.ts';
import { consoleInfo, empty, health, loginRequest, sessionView } from './session.ts';
import { governorSettings, versionedGovernorSettings } from './settings.ts';
import { quotaRoutes } from './quota-routes.ts';
import { pageQuery, route } from './route.ts';
import { accountRoutes } from './account-routes.ts';
import { alarmRoutes, webhookRoutes } from './alarm-routes.ts';

export type { Route, RouteAuth } from './route.ts';

const agentParams = z.object({ agentId: id });
const jobParams = z.object({ jobId: id });
const shardParams = z.object({ shardId: id });
const endpointParams = z.object({ endpointId: id });

/** Every route of the console: the one list that the server registers and the client calls. */
export const routes = {
  health: route('GET', '/healthz', 'public', 'Liveness', { response: health }),
  info: route('GET', '/api/v1/info', 'public', 'Version and window length', { response: consoleInfo }),

  consoles: route('GET', '/api/v1/consoles', 'viewer', 'Which consoles there are, and which leads', {
    response: consolesView,
  }),

  login: route('POST', '/api/v1/session', 'public', 'Log in', { body: loginRequest, response: sessionView }),
  session: route('GET', '/api/v1/session', 'viewer', 'Who is logged in', { response: sessionView }),
  logout: route('DELETE', '/api/v1/session', 'viewer', 'Log out', { response: empty }),

  enrol: route('POST', '/api/v1/agent/enrol', 'enrolment', 'Enrol an agent', {
    body: enrolRequest,
    response: enrolResponse,
  }),
  heartbeat: route('POST', '/api/v1/agent/heartbeat', 'agent', 'Report a window, receive the next grant', {
    body: heartbeatRequest,
    response: heartbeatResponse,
  }),
  claim: route('POST', '/api/v1/agent/claims', 'agent', 'Take work from the queue', {
    body: claimRequest,
    response: claimResponse,
  }),
  split: route('POST', '/api/v1/agent/shards/:shardId/split', 'agent', 'Split a key range', {
    params: shardParams,
    body: splitRequest,
    response: splitResponse,
  }),
  progress: route('POST', '/api/v1/agent/shards/:shardId/progress', 'agent', 'Report progress', {
    params: shardParams,
    body: progressRequest,
    response: progressResponse,
  }),

  monitor: route('GET', '/api/v1/monitor', 'viewer', 'TPS Monitor', { query: monitorQuery, response: monitorView }),
  monitorHistory: route('GET', '/api/v1/monitor/history', 'viewer', 'TPS over hours or days', {
    query: historyQuery,
    response: monitorHistory,
  }),
  windows: route('GET', '/api/v1/monitor/windows', 'viewer', 'Finished windows, newest first', {
    query: pageQuery,
    response: windowRecordList,
  }),

  agents: route('GET', '/api/v1/agents', 'viewer', 'Agents', { query: agentQuery, response: agentList }),
  agentWhy: route('GET', '/api/v1/agents/:agentId/why', 'viewer', 'Why an agent has what it has', {
    params: agentParams,
    response: allocationWhy,
  }),
  revokeAgent: route('POST', '/api/v1/agents/:agentId/revoke', 'admin', 'Revoke an agent', {
    params: agentParams,
    response: agentView,
  }),
  enrolment: route('GET', '/api/v1/enrolment', 'admin', 'Enrolment token and command', { response: enrolmentInfo }),

  endpoints: route('GET', '/api/v1/endpoints', 'viewer', 'All endpoints', { response: endpointList }),
  createEndpoint: route('POST', '/api/v1/endpoints', 'admin', 'Add an endpoint (tested first)', {
    body: endpointInput,
    response: endpointView,
  }),
  testEndpoint: route('POST', '/api/v1/endpoints/test', 'admin', 'Test an endpoint without saving it', {
    body: endpointInput,
    response: endpointTestResult,
  }),
  endpointBuckets: route('GET', '/api/v1/endpoints/:endpointId/buckets', 'operator', 'Buckets of an endpoint', {
    params: endpointParams,
    response: bucketList,
  }),
  deleteEndpoint: route('DELETE', '/api/v1/endpoints/:endpointId', 'admin', 'Remove an endpoint', {
    params: endpointParams,
    response: empty,
  }),

  jobs: route('GET', '/api/v1/jobs', 'viewer', 'Jobs, newest first', { query: pageQuery, response: jobList }),
  job: route('GET', '/api/v1/jobs/:jobId', 'viewer', 'One job', { params: jobParams, response: jobView }),
  createJob: route('POST', '/api/v1/jobs', 'operator', 'Queue a copy job (buckets are checked first)', {
    body: jobInput,
    response: jobView,
  }),
  actOnJob: route('POST', '/api/v1/jobs/:jobId/:action', 'operator', 'Pause, resume, cancel or retry a job', {
    params: z.object({ jobId: id, action: jobAction }),
    response: jobView,
  }),
  jobFailures: route('GET', '/api/v1/jobs/:jobId/failures', 'viewer', 'Objects that could not be copied', {
    params: jobParams,
    query: pageQuery,
    response: failureList,
  }),
  jobPlan: route('GET', '/api/v1/jobs/:jobId/plan', 'viewer', 'First objects of a dry run', {
    params: jobParams,
    response: plannedList,
  }),
  repeatJob: route('POST', '/api/v1/jobs/:jobId/repeat', 'operator', 'Queue a new job like this one', {
    params: jobParams,
    body: repeatRequest,
    response: jobView,
  }),
  deleteJob: route('DELETE', '/api/v1/jobs/:jobId', 'operator', 'Remove an ended job with its lists', {
    params: jobParams,
    response: empty,
  }),
  jobManifest: route('GET', '/api/v1/jobs/:jobId/manifest', 'viewer', 'Signed manifest of an ended job', {
    params: jobParams,
    response: signedManifest,
  }),
  manifestKey: route('GET', '/api/v1/manifest-key', 'viewer', 'Public key that verifies manifests', {
    response: manifestKey,
  }),

  governorSettings: route('GET', '/api/v1/settings/governor', 'viewer', 'Governor settings', {
    response: versionedGovernorSettings,
  }),
  saveGovernorSettings: route('PUT', '/api/v1/settings/governor', 'admin', 'Change governor settings', {
    query: madeFrom,
    body: governorSettings,
    response: versionedGovernorSettings,
  }),

  ...alarmRoutes,
  ...webhookRoutes,
  ...accountRoutes,
  ...quotaRoutes,
} as const;

export type RouteName = keyof typeof routes;

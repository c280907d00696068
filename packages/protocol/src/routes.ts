import { z } from 'zod';
import {
  agentList,
  agentView,
  enrolmentInfo,
  enrolRequest,
  enrolResponse,
  heartbeatRequest,
  heartbeatResponse,
} from './agents.ts';
import { alarmList, alarmView } from './alarms.ts';
import { id } from './identifiers.ts';
import {
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
  progressRequest,
  progressResponse,
  splitRequest,
  splitResponse,
} from './jobs.ts';
import { historyQuery, monitorHistory, monitorQuery, monitorView, windowRecordList } from './monitor.ts';
import { consoleInfo, empty, health, loginRequest, sessionView } from './session.ts';
import { governorSettings, versionedGovernorSettings } from './settings.ts';

/**
 * Who may call a route. `enrolment`: the enrolment token · `agent`: an agent's own credential (both as
 * `Authorization: Bearer …`) · viewer, operator, admin: a session of at least that role.
 */
export type RouteAuth = 'public' | 'enrolment' | 'agent' | 'viewer' | 'operator' | 'admin';

/** One route of the console. `:name` in the path is filled from `params`. */
export interface Route<
  Params extends z.ZodType | undefined = z.ZodType | undefined,
  Query extends z.ZodType | undefined = z.ZodType | undefined,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Response extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path with `:name` parameters. */
  path: string;
  auth: RouteAuth;
  summary: string;
  params: Params;
  query: Query;
  body: Body;
  response: Response;
}

interface RouteParts<P, Q, B, R> {
  params?: P;
  query?: Q;
  body?: B;
  response: R;
}

function route<
  R extends z.ZodType,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  method: Route['method'],
  path: string,
  auth: RouteAuth,
  summary: string,
  parts: RouteParts<P, Q, B, R>,
): { method: Route['method']; path: string; auth: RouteAuth; summary: string } & Required<RouteParts<P, Q, B, R>> {
  const absent = { params: undefined, query: undefined, body: undefined };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an absent part is `undefined`, which is then its type
  return { method, path, auth, summary, ...absent, ...parts } as ReturnType<typeof route<R, P, Q, B>>;
}

const agentParams = z.object({ agentId: id });
const jobParams = z.object({ jobId: id });
const shardParams = z.object({ shardId: id });
const endpointParams = z.object({ endpointId: id });
const alarmParams = z.object({ alarmId: id });
const pageQuery = z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) });

/** Every route of the console: the one list that the server registers and the client calls. */
export const routes = {
  health: route('GET', '/healthz', 'public', 'Liveness', { response: health }),
  info: route('GET', '/api/v1/info', 'public', 'Version and window length', { response: consoleInfo }),

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

  agents: route('GET', '/api/v1/agents', 'viewer', 'All agents', { response: agentList }),
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

  governorSettings: route('GET', '/api/v1/settings/governor', 'viewer', 'Governor settings', {
    response: versionedGovernorSettings,
  }),
  saveGovernorSettings: route('PUT', '/api/v1/settings/governor', 'admin', 'Change governor settings', {
    body: governorSettings,
    response: versionedGovernorSettings,
  }),

  alarms: route('GET', '/api/v1/alarms', 'viewer', 'Alarms, newest first', { query: pageQuery, response: alarmList }),
  acknowledgeAlarm: route('POST', '/api/v1/alarms/:alarmId/acknowledge', 'operator', 'Acknowledge an alarm', {
    params: alarmParams,
    response: alarmView,
  }),
} as const;

export type RouteName = keyof typeof routes;

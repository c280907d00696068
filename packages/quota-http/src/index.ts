export { expressQuota, type ExpressMiddleware, type ExpressRequest, type ExpressResponse } from './adapters/express.ts';
export { fastifyQuota, type FastifyHook, type FastifyReplyPart, type FastifyRequestPart } from './adapters/fastify.ts';
export { fetchQuota, problemResponse, type FetchHandler } from './adapters/fetch.ts';
export { honoQuota, type HonoContext, type HonoMiddleware } from './adapters/hono.ts';
export {
  clientAddress,
  type ClientAddressOptions,
  type Connection,
  type HeaderSource,
  type NodeRequest,
} from './client-address.ts';
export type { ForwardedHeader } from './forwarded.ts';
export {
  admissionOf,
  answerTo,
  openGate,
  type Admission,
  type Appearance,
  type Call,
  type Charge,
  type Charges,
  type Gate,
  type GateOptions,
} from './gate.ts';
export { PROBLEM_CONTENT_TYPE, quotaProblem, type QuotaProblem, type Refusal } from './problem.ts';
export {
  rateLimitHeaders,
  type HeaderDraft,
  type HeaderFields,
  type PolicyState,
  type QuotaUnit,
} from './rate-limit-headers.ts';

export { createClient, type CallArguments, type CallResult, type Client, type ClientOptions } from './client.ts';
export { ApiError, NetworkError, type NetworkErrorReason } from './errors.ts';
export type { Fetch, FetchAnswer, FetchInit } from './fetch.ts';
export { withSessionCookies } from './session-cookies.ts';

export { TransferMeter } from '../s3/transfer-meter.ts';
export type { ChargingGovernor } from '../s3/charging-governor.ts';
export { operationOfCommand } from './command-operation.ts';
export { governS3, type GovernS3Options } from './govern-s3.ts';
export type { ClientPlugin, Handler, Middleware, MiddlewareStack } from './middleware-stack.ts';

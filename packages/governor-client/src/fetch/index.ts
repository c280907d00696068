export { TransferMeter } from '../s3/transfer-meter.ts';
export type { ChargingGovernor } from '../s3/charging-governor.ts';
export { classifyS3Request, s3Classifier, type RequestHead, type S3Addressing } from './classify-s3-request.ts';
export { governFetch, type Fetch, type GovernFetchOptions } from './govern-fetch.ts';

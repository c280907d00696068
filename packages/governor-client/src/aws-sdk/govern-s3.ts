/**
 * Where the plugin stands on a command's way through the SDK:
 *
 *   initialize ─ serialize ─ build ─ retry ─┬─▶ charge ─▶ sign ─▶ send ─▶ answer
 *       ▲                                   └──── once for each attempt ◀────┘
 *       └ an answer that asks for less and that retries did not cure starts a holdoff
 *
 * The charge stands behind the retries, so that each attempt is seen, and before the signature: a request that is signed
 * and then parks would carry an old date. The SDK's signer asks for credentials when it signs, so those are fresh too.
 */
import type { S3Operation } from '@weir/governor';
import { attemptOf } from '../s3/attempt-header.ts';
import type { ChargingGovernor } from '../s3/charging-governor.ts';
import { asksForLess, slowDownReason } from '../s3/slow-down.ts';
import type { TransferMeter } from '../s3/transfer-meter.ts';
import { commandNameOf, failureOf, headerOf, member, signalOf } from './command-facts.ts';
import { operationOfCommand } from './command-operation.ts';
import type { ClientPlugin, Middleware } from './middleware-stack.ts';

export interface GovernS3Options {
  /**
   * What a command is charged as; null: not governed, it never parks and costs nothing.
   * Default: `operationOfCommand(commandName)`.
   */
  classify?: (commandName: string, input: unknown) => S3Operation | null;
  /** Whether a SlowDown that the SDK's retries did not cure pauses everything for 30–300 s. Default true. */
  holdoff?: boolean;
  /** Counts object bytes, by the lengths that requests and answers state. Default: none. */
  transfer?: TransferMeter;
}

/** By this name signing is found in every 3.x version: first it was its own, later an alias. */
const SIGNING = 'awsAuthMiddleware';

/**
 * Makes a client of `@aws-sdk/client-s3` obey a governor: `client.middlewareStack.use(governS3(governor))`.
 *
 * Each attempt of each command is charged before it is signed and sent, and parks while there are no credits. What a
 * command costs is the console's to say: per object (1 for a PUT or a page of a listing, 11 once when a multipart upload is
 * created, nothing for parts and retries), or 1 for each request that is really sent. `abortSignal` of the command also
 * ends its parking; a command fails with GovernorStoppedError when no grant will ever come.
 *
 * Using it twice on one client charges once. `getSignedUrl` goes the same way as a request and is charged like one: presign
 * with a client of its own.
 */
export function governS3(governor: ChargingGovernor, options: GovernS3Options = {}): ClientPlugin {
  const { classify = operationOfCommand, holdoff = true, transfer } = options;

  const charge: Middleware = (next, context) => async (args) => {
    const operation = classify(commandNameOf(context), member(args, 'input'));
    if (operation === null) return next(args);
    const request = member(args, 'request');
    const attempt = attemptOf(headerOf(request, 'amz-sdk-request'));
    const parked = governor.charge(operation, attempt, signalOf(context));
    if (parked !== undefined) await parked;
    const result = await next(args);
    if (transfer !== undefined) count(transfer, operation, request, member(result, 'response'));
    return result;
  };

  const holdOff: Middleware = (next, context) => async (args) => {
    try {
      return await next(args);
    } catch (error) {
      const { status, code } = failureOf(error);
      const operation = classify(commandNameOf(context), member(args, 'input'));
      if (operation !== null && asksForLess(status, code)) {
        const reason = slowDownReason(commandNameOf(context).replace(/Command$/, ''), status, code);
        governor.startHoldoff({ reason, jobId: null });
      }
      throw error;
    }
  };

  return {
    applyToStack: (stack) => {
      stack.addRelativeTo(charge, {
        relation: 'before',
        toMiddleware: SIGNING,
        name: 'weirChargeMiddleware',
        override: true,
      });
      if (holdoff) stack.add(holdOff, { step: 'initialize', name: 'weirHoldoffMiddleware', override: true });
    },
  };
}

function count(transfer: TransferMeter, operation: S3Operation, request: unknown, response: unknown): void {
  if (operation === 'GetObject') transfer.read(Number(headerOf(response, 'content-length')));
  else if (operation === 'PutObject' || operation === 'UploadPart') {
    // A body that is sent in signed chunks is longer than the object.
    const length = headerOf(request, 'x-amz-decoded-content-length') ?? headerOf(request, 'content-length');
    transfer.wrote(Number(length));
  }
}

import { MAX_WEBHOOKS, type WebhookCreated, type WebhookInput } from '@weir/protocol';
import type { StoredWebhook } from '../ports/webhook-store.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { requireAllowedAddress } from './endpoint-addresses.ts';
import { webhookSigningSecretOf, webhookUrlOf, webhookViews } from './webhook-view.ts';

/**
 * Adds a webhook, its address and the secret of its signatures encrypted. The secret is told this once.
 * @throws ConsoleError validation-failed, endpoint-forbidden-address, name-taken, wrong-state
 */
export async function createWebhook(
  context: ConsoleContext,
  input: WebhookInput,
  actor: string,
): Promise<WebhookCreated> {
  const url = new URL(input.secretUrl);
  if (url.username + url.password + url.hash !== '') {
    throw new ConsoleError('validation-failed', 'The address of a webhook has no user name, password or fragment.', {
      fields: [{ field: 'secretUrl', problem: 'must not contain a user name, a password or a fragment' }],
    });
  }
  await requireAllowedAddress(context, url.origin, 'secretUrl');
  const webhookId = context.random.id('whk');
  const signingSecret = context.random.secret();
  const webhook: StoredWebhook = {
    webhookId,
    name: input.name,
    host: url.origin,
    sealedUrl: context.secretBox.seal(url.href, webhookUrlOf(webhookId)),
    sealedSigningSecret: context.secretBox.seal(signingSecret, webhookSigningSecretOf(webhookId)),
    format: input.format,
    reminders: input.reminders,
    createdAtMs: context.clock.nowMs(),
    createdBy: actor,
  };
  return context.storage.transaction(async (stores) => {
    const all = await stores.webhooks.all();
    if (all.some(({ name }) => name === input.name)) throw nameTaken(input.name);
    if (all.length >= MAX_WEBHOOKS) {
      throw new ConsoleError('wrong-state', `A console has at most ${MAX_WEBHOOKS} webhooks: remove one first.`);
    }
    await stores.webhooks.insert(webhook);
    const detail = { name: input.name, host: url.origin, format: input.format };
    await audit(context, stores, { actor, action: 'webhook.create', subject: webhookId, detail });
    const [view] = await webhookViews(stores, [webhook]);
    if (view === undefined) throw new Error('A webhook has a view.');
    return { webhook: view, signingSecret };
  });
}

function nameTaken(name: string): ConsoleError {
  return new ConsoleError('name-taken', `There is a webhook named ${name} already: choose another name.`, {
    fields: [{ field: 'name', value: name, problem: 'is the name of another webhook' }],
  });
}

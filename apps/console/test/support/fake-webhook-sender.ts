import type { SendOutcome, WebhookSender } from '../../src/ports/webhook-sender.ts';

/** Receives webhook messages, and answers as a test says. */
export class FakeWebhookSender implements WebhookSender {
  readonly received: { url: string; headers: Readonly<Record<string, string>>; body: string }[] = [];
  /** What is answered from now on. */
  outcome: SendOutcome = { status: 200 };
  readonly #held = new Map<string, Promise<void>>();

  /** Holds the answers of an address back; returns how they are let go. */
  hold(url: string): () => void {
    const { promise, resolve } = withResolve();
    this.#held.set(url, promise);
    return resolve;
  }

  async send(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<SendOutcome> {
    this.received.push({ url, headers, body });
    const { outcome } = this;
    await this.#held.get(url);
    return outcome;
  }

  close(): void {
    // Nothing is under way for longer than a turn.
  }
}

function withResolve(): { promise: Promise<void>; resolve: () => void } {
  let release: (() => void) | undefined;
  const promise = new Promise<void>((resolve) => (release = resolve));
  return { promise, resolve: () => release?.() };
}

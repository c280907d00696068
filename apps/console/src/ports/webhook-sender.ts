/** How a message was received: the status of the answer, or what came instead of one. */
export type SendOutcome = { status: number } | { problem: string };

/** Sends messages to addresses that administrators chose. */
export interface WebhookSender {
  /**
   * Posts a body once: no retries, no redirects, no waiting beyond a bound of its own. Every outcome is a value. An address that
   * is, or resolves to, a forbidden one is not connected to, whatever it resolved to before.
   */
  send(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<SendOutcome>;
  /** Ends what is under way. */
  close(): void;
}

/**
 * What a program has to do to be an agent: charge operations against credits, and send heartbeats that bring new ones.
 *
 * The window is `closed` (operations park), `enforced` (they are charged) or `open` (limiter off):
 *
 *   closed ──grant──▶ enforced ──heartbeat begins: report frozen──▶ closed ──grant in the answer──▶ enforced …
 *
 * A report is frozen when its heartbeat begins and repeated unchanged until a console has answered it. While no console
 * answers, the window stays closed: credits are never restored without one, unless the settings allow a safe rate
 * (`safe-rate.ts`), under which it is open until a console answers. A holdoff shuts the gate in front of the
 * window, also for operations that cost nothing, and reports no running job, so that the share goes to others.
 */
import { chargeFor, CreditWindow, type S3Operation, type TransactionType } from '@weir/governor';
import {
  OLDEST_PROTOCOL_VERSION,
  PROTOCOL_VERSION,
  type Grant,
  type HeartbeatRequest,
  type Holdoff,
  type LimiterInstructions,
  type WindowUsage,
} from '@weir/protocol';
import { ChangeReporter } from './change-reporter.ts';
import { GovernorStoppedError } from './governor-events.ts';
import {
  withDefaults,
  type AgentGovernorOptions,
  type CompleteOptions,
  type GovernorStatus,
} from './governor-options.ts';
import { GrantOrder } from './grant-order.ts';
import { HeartbeatLoop } from './heartbeat-loop.ts';
import { SafeRate } from './safe-rate.ts';
import type { HoldoffUnderWay } from './holdoff-under-way.ts';
import { judgeHeartbeatError, refusesContent } from './transport.ts';
import { Waiters } from './waiters.ts';
import { usageOf } from './window-usage.ts';
import { WorkNews } from './work-news.ts';

export class AgentGovernor {
  readonly #options: CompleteOptions;
  readonly #loop: HeartbeatLoop;
  readonly #order = new GrantOrder();
  readonly #waiters = new Waiters();
  #window: CreditWindow;
  readonly #safe = new SafeRate(() => this.#window);
  readonly #changes: ChangeReporter;
  readonly #work: WorkNews;
  #limiter: LimiterInstructions | null = null;
  #chargedTypes: ReadonlySet<TransactionType> = new Set(['LIST', 'GET', 'PUT', 'DELETE']);
  /** The report under way; the same until a console has answered it. */
  #undelivered: WindowUsage | null = null;
  #lostSinceMs: number | null = null;
  /** Time between two heartbeats as the console said last. */
  #intervalMs = 0;
  #holdoff: HoldoffUnderWay | null = null;
  #consoleVersion: number = OLDEST_PROTOCOL_VERSION;
  #stopped: GovernorStoppedError | null = null;
  /**
   * Resolves when a console has answered for the first time; rejects with GovernorStoppedError when it refuses this agent
   * or `stop` comes first.
   */
  readonly ready: Promise<void>;
  #settleReady: { resolve: () => void; reject: (error: GovernorStoppedError) => void } | null = null;

  constructor(options: AgentGovernorOptions) {
    this.#options = withDefaults(options);
    this.#window = new CreditWindow(this.#options);
    const { now, startTimer } = this.#options;
    this.#changes = new ChangeReporter({
      window: () => this.#window,
      now,
      startTimer,
      onChange: () => this.#loop.soon(),
    });
    this.#work = new WorkNews({
      works: () => this.#holdoff === null && this.#options.runningJobs() > 0,
      now,
      startTimer,
      onNews: () => this.#loop.soon(),
    });
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    // Whoever does not ask for it need not handle it.
    this.ready.catch(() => undefined);
    this.#loop = new HeartbeatLoop({
      ...this.#options,
      beat: (signal) => this.#beat(signal),
      judge: judgeHeartbeatError,
      onLost: (error, retryInMs) => {
        this.#lostSinceMs ??= this.#options.now();
        this.#options.onEvent({ type: 'console-lost', error, retryInMs });
        this.#goOnSafely();
      },
      onFatal: (error) => this.#refused(error),
    });
  }

  /** Sends the first heartbeat at once; until it is answered, operations that cost credits park. */
  start(): void {
    this.#loop.start();
  }

  /**
   * Charges one operation; to be called before it is sent, with `attempt` 0 for the first try and more for retries.
   * @returns undefined when it is admitted at once, else a promise of the time that it was parked, in ms
   * @throws (rejects) GovernorStoppedError when no grant will ever come; the reason of `signal` when that fires first
   */
  charge(operation: S3Operation, attempt: number, signal?: AbortSignal): undefined | Promise<number> {
    if (this.#stopped !== null) return Promise.reject(this.#stopped);
    if (this.#holdoff !== null) return this.#chargeAfter(this.#holdoff, operation, attempt, signal);
    const charge = chargeFor(operation, attempt, this.#chargedTypes, this.#limiter?.costModel);
    if (charge === null) return undefined;
    const parked = this.#window.charge(charge.type, charge.cost, signal);
    return parked === undefined ? undefined : this.#waiters.until(parked);
  }

  /**
   * Takes over what a claim brought. Call it once the accepted job counts in `runningJobs`. A grant opens the window, and
   * the next heartbeat is then due one window later; without one the agent already runs under a grant, or asks for one at once.
   */
  acceptGrant(grant: Grant | null, limiter: LimiterInstructions): void {
    if (this.#stopped !== null) return;
    // An answer that a heartbeat has overtaken must not bring old settings back.
    if (this.#limiter === null || limiter.settingsVersion >= this.#limiter.settingsVersion) this.#adopt(limiter);
    if (this.#limiter?.mode === 'off') return;
    // The console believes that this agent runs; it has to learn of the holdoff.
    if (this.#holdoff !== null) this.#loop.soon();
    else if (grant !== null && this.#run(grant, 'claim', this.#options.now())) {
      // A grant that came early pays for less than a window; the heartbeat is due after a whole one all the same.
      this.#loop.dueIn(Math.max(this.#intervalMs, grant.windowSeconds * 1_000));
    } else if (this.#window.mode === 'closed') this.#loop.soon();
  }

  /**
   * Work has begun or ended: `runningJobs` went from none to some, or back. The console is told now instead of with the next
   * heartbeat: a program that begins gets credits at once, one that has been without work for a second gives its share back.
   * Cheap; call it as often as you like.
   */
  workChanged(): void {
    if (this.#stopped === null) this.#work.changed();
  }

  /**
   * Starts a holdoff: every operation waits for its end, and the console is told at once.
   * @returns false when one is already under way (it keeps its end) or the governor has stopped
   */
  startHoldoff(cause: { reason: string; jobId: string | null }): boolean {
    if (this.#holdoff !== null || this.#stopped !== null) return false;
    const { holdoffMinMs, holdoffMaxMs, random, now, startTimer } = this.#options;
    const durationMs = Math.round(holdoffMinMs + random() * (holdoffMaxMs - holdoffMinMs));
    const gate = new CreditWindow({ now });
    const cancelTimer = startTimer(() => this.#endHoldoff(gate), durationMs);
    this.#safe.end();
    this.#holdoff = { ...cause, endsAtMs: now() + durationMs, cancelTimer, gate };
    this.#options.onEvent({ type: 'holdoff-started', durationMs, ...cause });
    this.#loop.soon();
    return true;
  }

  /** The holdoff under way with the time left; null when there is none. */
  get holdoff(): Holdoff | null {
    if (this.#holdoff === null) return null;
    const { endsAtMs, reason, jobId } = this.#holdoff;
    const remainingMs = Math.max(0, Math.ceil(endsAtMs - this.#options.now()));
    return { remainingMs, reason: reason.slice(0, 500), jobId };
  }

  /** Version of the wire that the console speaks which answered last; the oldest that is understood before any did. */
  get consoleProtocolVersion(): number {
    return this.#consoleVersion;
  }

  /** What is going on right now. */
  get status(): GovernorStatus {
    return {
      loop: this.#loop.state,
      mode: this.#window.mode,
      grant: this.#order.latest,
      remainingCredits: this.#window.remainingCredits,
      parkedOps: this.#window.parkedOps + (this.#holdoff?.gate.parkedOps ?? 0),
      holdoff: this.holdoff,
    };
  }

  /**
   * Stops for good: operations that wait are rejected, and a last heartbeat without running jobs reports the window and
   * frees the share. Never rejects: without a console the share is freed when the agent's heartbeats are missed.
   */
  async stop(): Promise<void> {
    if (this.#stopped !== null) return;
    const started = this.#loop.state !== 'idle';
    this.#loop.stop();
    this.#safe.end();
    this.#freezeReport();
    this.#sendAway(new GovernorStoppedError('stopped', 'the agent is stopping'));
    if (!started) return;
    const controller = new AbortController();
    const cancelTimer = this.#options.startTimer(() => controller.abort(), this.#options.goodbyeTimeoutMs);
    try {
      await this.#options.transport.heartbeat(this.#request(0), controller.signal);
    } catch (error) {
      this.#options.onEvent({ type: 'console-lost', error, retryInMs: 0 });
    } finally {
      cancelTimer();
    }
  }

  async #beat(signal: AbortSignal): Promise<number> {
    this.#freezeReport();
    const runningJobs = this.#holdoff === null ? this.#options.runningJobs() : 0;
    this.#work.told(runningJobs > 0);
    const request = this.#request(runningJobs);
    const sentAtMs = this.#options.now();
    try {
      const response = await this.#options.transport.heartbeat(request, signal);
      signal.throwIfAborted();
      this.#undelivered = null;
      this.#safe.told(request.safeOps ?? 0);
      this.#safe.end();
      this.#consoleVersion = response.protocolVersion ?? OLDEST_PROTOCOL_VERSION;
      this.#noteConsole();
      this.#settleReady?.resolve();
      this.#adopt(response.limiter);
      if (response.grant !== null && this.#holdoff === null) this.#run(response.grant, 'heartbeat', sentAtMs);
      // Accepted a job while the console was told that there was none.
      else if (runningJobs === 0 && this.#lacksCredits()) this.#loop.soon();
      this.#intervalMs = response.nextHeartbeatSeconds * 1_000;
      return this.#intervalMs;
    } catch (error) {
      // A report that the console finds malformed would be refused for ever; without it the agent can go on.
      if (refusesContent(error)) this.#undelivered = null;
      throw error;
    }
  }

  #request(runningJobs: number): HeartbeatRequest {
    return {
      protocolVersion: PROTOCOL_VERSION,
      ...this.#options.identity,
      limiter: true,
      runningJobs,
      usage: this.#undelivered,
      ...(this.#safe.untoldOps > 0 && { safeOps: this.#safe.untoldOps }),
      holdoff: this.holdoff,
    };
  }

  /** Ends the window that runs, so that the heartbeat reports all of it; keeps a report that was not answered yet. */
  #freezeReport(): void {
    if (this.#undelivered !== null || this.#window.mode === 'closed' || this.#safe.active) return;
    const bytes = this.#options.takeTransferredBytes();
    const report = this.#window.mode === 'enforced' ? this.#window.endWindow() : null;
    if (report !== null) this.#undelivered = usageOf(report, bytes, this.#changes.told(report));
  }

  #adopt(limiter: LimiterInstructions): void {
    if (this.#limiter?.mode !== limiter.mode) this.#options.onEvent({ type: 'limiter', mode: limiter.mode });
    this.#limiter = limiter;
    this.#chargedTypes = new Set(limiter.chargedTypes);
    if (limiter.mode === 'off') {
      this.#freezeReport();
      if (this.#holdoff === null) this.#window.open();
    } else if (this.#window.mode === 'open') {
      // Switched on, and perhaps no grant yet: nothing may run on as if it were off. Nothing is parked in an open window.
      this.#window = new CreditWindow(this.#options);
    }
  }

  /**
   * Opens a closed window under a new grant. One that runs is never replaced: its charges have to be reported first.
   * @param askedAtMs when the request was sent: what the console counts as its lease began later, so it ends later too.
   */
  #run(grant: Grant, by: 'heartbeat' | 'claim', askedAtMs: number): boolean {
    if (this.#limiter?.mode === 'off' || this.#window.mode === 'enforced' || !this.#order.isNew(grant)) return false;
    const previous = this.#order.latest;
    this.#order.accept(grant);
    const { validSeconds } = grant;
    const validUntilMs = validSeconds === undefined ? undefined : askedAtMs + validSeconds * 1_000;
    this.#window.grant(grant, { pacing: this.#limiter?.pacing, validUntilMs });
    if (this.#limiter?.reportChanges === true) this.#changes.begin(grant);
    if (previous !== null && previous.epoch !== grant.epoch) {
      this.#options.onEvent({ type: 'epoch-changed', from: previous.epoch, to: grant.epoch });
    }
    this.#options.onEvent({ type: 'granted', grant, by });
    return true;
  }

  /** No console answers: goes on at the safe rate, if the settings have one. */
  #goOnSafely(): void {
    const { mode, safeTps, pacing } = this.#limiter ?? {};
    if (mode !== 'enforced' || safeTps === undefined || this.#holdoff !== null || this.#options.runningJobs() === 0)
      return;
    if (this.#safe.begin(safeTps, pacing?.burstSeconds)) this.#options.onEvent({ type: 'safe-rate', tps: safeTps });
  }

  #lacksCredits(): boolean {
    return this.#window.mode === 'closed' && this.#holdoff === null && this.#options.runningJobs() > 0;
  }

  #noteConsole(): void {
    if (this.#lostSinceMs === null) return;
    this.#options.onEvent({ type: 'console-back', lostMs: Math.round(this.#options.now() - this.#lostSinceMs) });
    this.#lostSinceMs = null;
  }

  #endHoldoff(gate: CreditWindow): void {
    this.#holdoff = null;
    if (this.#limiter?.mode === 'off') this.#window.open();
    gate.open();
    this.#loop.soon();
    this.#options.onEvent({ type: 'holdoff-ended' });
  }

  async #chargeAfter(
    holdoff: HoldoffUnderWay,
    operation: S3Operation,
    attempt: number,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const held = holdoff.gate.charge('GET', 1, signal);
    const heldMs = held === undefined ? 0 : await this.#waiters.until(held);
    return heldMs + ((await this.charge(operation, attempt, signal)) ?? 0);
  }

  #refused(cause: unknown): void {
    const why = cause instanceof Error ? cause.message : String(cause);
    const error = new GovernorStoppedError('refused', `the console does not accept this agent: ${why}`, cause);
    this.#sendAway(error);
    this.#options.onEvent({ type: 'fatal', error });
  }

  #sendAway(error: GovernorStoppedError): void {
    this.#stopped = error;
    this.#changes.end();
    this.#work.end();
    this.#settleReady?.reject(error);
    this.#holdoff?.cancelTimer();
    this.#holdoff = null;
    this.#waiters.sendAway(error);
  }
}

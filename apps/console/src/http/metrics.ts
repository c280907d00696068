import type { FastifyInstance, FastifyReply } from 'fastify';
import { jobState } from '@weir/protocol';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, type GaugeConfiguration } from 'prom-client';
import { ConsoleError } from '../actions/console-error.ts';
import type { ConsoleContext, CountedEvent } from '../actions/context.ts';
import { utilizationPercent } from '../actions/utilization.ts';
import type { CallLimiter } from '../ports/call-limiter.ts';
import { sameSecret } from '../security/digests.ts';
import { authenticate, bearerOf, wrongBearer } from './authentication.ts';

const EVENTS: Record<CountedEvent, string> = {
  heartbeat: 'Heartbeats received',
  'lease-lapsed': 'Leases that lapsed because their agent was silent',
  'login-failed': 'Logins with a wrong name or password',
  'job-created': 'Jobs created',
  'object-failures': 'Failed objects reported',
};
/** Metrics of one console. Labels are routes, states and classes of status, never agents or jobs, so their number is bounded. */
export class ConsoleMetrics {
  readonly #registry = new Registry();
  readonly #events: Counter<'event'>;
  readonly #requests: Histogram<'route' | 'status'>;
  /** Events since somebody asked last: heartbeats are counted thousands of times a second. */
  readonly #counted = new Map<CountedEvent, number>();
  /** Names of what is read from the live state. */
  readonly #observed = new Set<string>();

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    const counted = this.#counted;
    this.#events = new Counter({
      name: 'weir_events_total',
      help: Object.entries(EVENTS)
        .map(([event, help]) => `${event}: ${help}`)
        .join('. '),
      labelNames: ['event'],
      registers: [this.#registry],
      collect() {
        for (const [event, times] of counted) this.inc({ event }, times);
        counted.clear();
      },
    });
    for (const event of Object.keys(EVENTS)) this.#events.inc({ event }, 0);
    this.#requests = new Histogram({
      name: 'weir_http_request_seconds',
      help: 'Time to answer, by route of the table and class of status',
      labelNames: ['route', 'status'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 30],
      registers: [this.#registry],
    });
  }

  count(event: CountedEvent, by = 1): void {
    this.#counted.set(event, (this.#counted.get(event) ?? 0) + by);
  }

  /** Counts an answer. @param route path of the route in the table. @param tookMs how long it took, ≥ 0 */
  answered(route: string, statusCode: number, tookMs: number): void {
    this.#requests.observe({ route, status: `${Math.floor(statusCode / 100)}xx` }, tookMs / 1_000);
  }

  /** Adds what is read from the live state when somebody asks. */
  observe(context: ConsoleContext): void {
    const simple: [name: string, help: string, read: () => number][] = [
      ['weir_global_limit_tps', 'Limit in force: set, scheduled or lowered', () => context.governing.limitTps],
      ['weir_limiter_enabled', 'Whether the limiter is on', () => (context.governor.settings.enabled ? 1 : 0)],
      ['weir_actual_tps', 'Sum of actual TPS over online running agents', () => context.fleet.totalActualTps],
      ['weir_utilization_percent', 'Actual TPS as a share of the limit', () => utilizationPercent(context)],
      ['weir_claims_waiting', 'Agents that wait for work', () => context.desk.waiting],
      ['weir_leases', 'Shards that agents hold', () => context.leases.held().length],
      ['weir_credit_ledger_ready', 'Whether credits can be granted', () => (context.governing.ledgerReady ? 1 : 0)],
      ['weir_alarms_active', 'Alarms that have not ended', () => context.alarms.active().length],
    ];
    for (const [name, help, read] of simple) {
      this.#gauge({
        name,
        help,
        collect() {
          this.set(read());
        },
      });
    }
    this.#gauge({
      name: 'weir_agents',
      help: 'Agents by status',
      labelNames: ['status'],
      async collect() {
        for (const [status, agents] of Object.entries(await agentsByStatus(context))) this.set({ status }, agents);
      },
    });
    this.#gauge({
      name: 'weir_jobs',
      help: 'Jobs by state',
      labelNames: ['state'],
      async collect() {
        const counts = await context.storage.jobs.countByState();
        for (const state of jobState.options) this.set({ state }, counts.get(state) ?? 0);
      },
    });
  }

  /** Whether this console leads: 0 or 1; one that is alone always does. */
  observeSeat(leads: () => boolean): void {
    this.#registry.registerMetric(
      new Gauge({
        name: 'weir_console_leader',
        help: 'Whether this console leads; one that is alone does',
        registers: [],
        collect() {
          this.set(leads() ? 1 : 0);
        },
      }),
    );
  }

  /** Forgets the live state: a console that does not lead has none. */
  forget(): void {
    for (const name of this.#observed) this.#registry.removeSingleMetric(name);
    this.#observed.clear();
  }

  #gauge(gauge: GaugeConfiguration<string>): void {
    this.#observed.add(gauge.name);
    this.#registry.registerMetric(new Gauge({ ...gauge, registers: [] }));
  }

  /** Serves /metrics to viewers and to whoever holds the metrics token, and times every request. */
  serve(app: FastifyInstance, context: ConsoleContext, metricsToken: string): void {
    app.addHook('onResponse', (request, reply, done) => {
      this.answered(request.routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime);
      done();
    });
    app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
      const token = bearerOf(request);
      if (token === undefined) await authenticate(context, request, 'viewer');
      else if (!sameSecret(token, metricsToken)) throw wrongBearer(context.callLimiter, request, wrongToken());
      return this.#send(reply);
    });
  }

  /** The same without a live state, to whoever holds the metrics token: nobody can be logged in here. */
  serveAlone(app: FastifyInstance, callLimiter: CallLimiter, metricsToken: string): void {
    app.get('/metrics', async (request, reply) => {
      const token = bearerOf(request);
      if (token === undefined) throw new ConsoleError('unauthenticated', 'This needs the metrics token.');
      if (!sameSecret(token, metricsToken)) throw wrongBearer(callLimiter, request, wrongToken());
      return this.#send(reply);
    });
  }

  async #send(reply: FastifyReply): Promise<FastifyReply> {
    const text = await this.#registry.metrics();
    return reply.type(this.#registry.contentType).serializer(String).send(text);
  }
}

function wrongToken(): ConsoleError {
  return new ConsoleError('wrong-credentials', 'The metrics token is wrong.');
}

async function agentsByStatus({
  clock,
  fleet,
}: ConsoleContext): Promise<Record<'running' | 'idle' | 'offline', number>> {
  const counts = { running: 0, idle: 0, offline: 0 };
  const steadyMs = clock.steadyMs();
  await fleet.review(steadyMs, (agent) => {
    const online = fleet.isOnline(agent, steadyMs);
    counts[fleet.isRunning(agent, steadyMs) ? 'running' : online ? 'idle' : 'offline'] += 1;
  });
  return counts;
}

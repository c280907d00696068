import type { GroupSeat } from '@weir/protocol';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { ConsoleContext } from './actions/context.ts';
import { recordTakeover } from './actions/record-takeover.ts';
import { requireOwnSecrets } from './actions/require-own-secrets.ts';
import type { ConsoleOptions } from './config/console-options.ts';
import { GroupAnswers } from './group-answers.ts';
import { LeaderTerm } from './group-term.ts';
import type { RedisConnection } from './host/redis-connection.ts';
import { clientBehind } from './http/client-address.ts';
import { Door } from './http/door.ts';
import { ConsoleMetrics } from './http/metrics.ts';
import type { ServerOptions } from './http/server.ts';
import { buildStandbyServer } from './http/standby-server.ts';
import { Ticker } from './jobs/ticker.ts';
import type { Difference } from './leadership/differences.ts';
import { olderCopy } from './leadership/differences.ts';
import { leaseKey } from './leadership/group-look.ts';
import { fingerprint, groupKey, peerKey, type SharedSecrets } from './leadership/group-secrets.ts';
import { redisLease } from './leadership/redis-lease.ts';
import { Seat } from './leadership/seat.ts';
import type { Clock } from './ports/clock.ts';
import type { GroupStorage } from './ports/group-storage.ts';
import type { Leader } from './ports/lease-store.ts';
import type { Storage } from './ports/storage.ts';
import { StorageUnavailable } from './ports/storage-unavailable.ts';
import { LeadershipLost } from './ports/leadership-lost.ts';
import { UnusableDatabase } from './ports/unusable-database.ts';
import { groupPresence } from './presence/group-presence.ts';
import type { Presence } from './presence/presence.ts';
import { aesSecretBox } from './security/aes-secret-box.ts';
import { ownLimiters } from './security/own-limiters.ts';
import { systemRandom } from './security/random-source.ts';
import type { StopPart } from './stopping.ts';

/** How long a standby that stops waits for answers of the leader, in ms. */
const STANDBY_DRAIN_MS = 1_000;
/** How long clients have to take the refusal of what could not be finished, in ms. */
const REFUSE_MS = 500;

/** What a console of a group works with; `main` says how a leader is made. */
export interface GroupParts {
  readonly options: ConsoleOptions & { redisUrl: string };
  readonly secrets: SharedSecrets;
  /** Puts new secrets into files. */
  readonly keepSecrets: () => Promise<void>;
  readonly database: GroupStorage;
  readonly redis: RedisConnection;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly version: string;
  readonly tls: { cert: Buffer; key: Buffer } | undefined;
  /** How long requests that are being answered may take when a leader stops, in ms. */
  readonly drainMs: number;
  /** Brings back what outlives a leader; sets no timers. */
  readonly openContext: (storage: Storage, redis: RedisConnection, metrics: ConsoleMetrics) => Promise<ConsoleContext>;
  readonly buildApp: (
    context: ConsoleContext,
    metrics: ConsoleMetrics,
    given: Pick<ServerOptions, 'closing' | 'group'> & { url: string },
  ) => Promise<FastifyInstance>;
  /** Makes accounts, and sets the background work going. */
  readonly begin: (context: ConsoleContext, ticker: Ticker) => Promise<void>;
  /** Address at which pages are reached, for the port that was bound. */
  readonly urlOf: (port: number) => string;
}

/** One console of a group: it listens at once, and leads or passes on what is for the leader. */
export class GroupConsole {
  readonly #parts: GroupParts;
  readonly #redis: RedisConnection;
  readonly #metrics = new ConsoleMetrics();
  readonly #answers: GroupAnswers;
  /** For what a standby answers itself. */
  readonly #limiters: ReturnType<typeof ownLimiters>;
  readonly #door: Door;
  readonly #fingerprint: string;
  #standby!: FastifyInstance;
  #seat!: Seat<LeaderTerm>;
  #presence!: Presence;
  #url = '';

  private constructor(parts: GroupParts) {
    this.#parts = parts;
    this.#redis = parts.redis;
    this.#fingerprint = fingerprint(parts.secrets);
    this.#answers = new GroupAnswers({
      peerKey: peerKey(parts.secrets),
      clock: parts.clock,
      logger: parts.logger,
      clientOf: clientBehind(parts.options.trustedProxies),
      seen: () => ({
        app: this.#seat.serving?.app ?? null,
        leader: this.#seat.leader,
        difference: this.#seat.difference,
      }),
      standby: () => this.#standby,
    });
    this.#limiters = ownLimiters(parts.clock, () => undefined);
    this.#door = new Door(parts.tls, (request, response) => this.#answers.answer(request, response));
  }

  /**
   * Starts it: returns when it leads, or knows who does, or that this cannot be known now.
   * @throws UnusableDatabase for secrets or a database that are not those of the group; what it was given is closed then
   */
  static async start(parts: GroupParts): Promise<GroupConsole> {
    const console = new GroupConsole(parts);
    try {
      await console.#requireOwnSecrets();
      await console.#open();
      return console;
    } catch (error) {
      await console.#close();
      throw error;
    }
  }

  /** Address of the pages and the API. */
  get url(): string {
    return this.#url;
  }

  /** What it is just now. */
  seat(): GroupSeat {
    const { leader } = this.#seat;
    const seat = this.#seat.serving === null ? 'standby' : 'leader';
    return { seat, fence: leader?.fence ?? null, leaderUrl: leader?.url ?? null };
  }

  /** Finishes what it leads, if it does, gives the lease back, and ends. */
  async stop(part: StopPart): Promise<void> {
    this.#answers.stopping();
    this.#door.refuseNew();
    const leads = this.#seat.serving !== null;
    await part('what it leads', () => this.#seat.stop());
    if (!leads) await part('answers of the leader', () => this.#drained(STANDBY_DRAIN_MS));
    await part('Redis and the database to close', () => this.#close());
  }

  async #requireOwnSecrets(): Promise<void> {
    const { database, secrets, keepSecrets } = this.#parts;
    const secretBox = aesSecretBox(secrets.encryptionKey);
    await database.shared.transaction((stores) => requireOwnSecrets(stores, secretBox, keepSecrets));
  }

  async #open(): Promise<void> {
    const { options, clock, logger, tls, secrets } = this.#parts;
    const startedAtMs = clock.steadyMs();
    this.#standby = await buildStandbyServer({
      webRoot: options.webRoot,
      metrics: this.#metrics,
      metricsToken: secrets.metricsToken,
      callLimiter: this.#limiters.calls,
      https: tls !== undefined,
      uptimeMs: () => Math.max(0, clock.steadyMs() - startedAtMs),
      seat: () => this.seat(),
      refusalOf: (request) => this.#answers.refusalOf(request),
      unfit: () => this.#answers.unfit(),
      logger,
    });
    const port = await this.#door.listen(options.host, options.port);
    this.#url = this.#parts.urlOf(port);
    const advertised = options.advertiseUrl?.replace(/\/+$/, '') ?? this.#url;
    this.#seat = this.#newSeat(advertised);
    this.#presence = this.#newPresence(advertised);
    this.#metrics.observeSeat(() => this.#seat.serving !== null);
    this.#seat.start();
    await this.#seat.decided;
    const { leader } = this.#seat;
    if (leader !== null) await this.#requireSameGroup(leader);
    this.#presence.start();
    logger.info({ url: this.#url, dataDir: options.dataDir, ...this.seat() }, 'the console is listening');
  }

  /** Terms are numbered by the database before the lease tells their number: one that is higher comes from another database. */
  async #requireSameGroup(leader: Leader): Promise<void> {
    const { difference } = this.#seat;
    if (difference !== null && difference.kind !== 'version') throw new UnusableDatabase(difference.message);
    const newest = await this.#parts.database.newestFence();
    if (leader.fence !== null && leader.fence > newest) throw new UnusableDatabase(olderCopy(leader, newest));
  }

  #newPresence(url: string): Presence {
    const { options, secrets, logger: log, ...given } = this.#parts;
    const differs = (): Difference['kind'] | null => this.#seat.difference?.kind ?? null;
    const place = { url, redisUrl: options.redisUrl, groupKey: groupKey(secrets) };
    return groupPresence(this.#redis, { ...given, ...place, log, differs });
  }

  #newSeat(url: string): Seat<LeaderTerm> {
    const { database, clock, logger, version } = this.#parts;
    return new Seat<LeaderTerm>({
      lease: redisLease(this.#redis, leaseKey(groupKey(this.#parts.secrets))),
      clock,
      chance: Math.random,
      newId: () => systemRandom.id('term'),
      log: logger,
      self: { url, version, secrets: this.#fingerprint, database: database.identity, schema: database.schema },
      nextFence: () => database.nextFence(),
      openTerm: (fence, lost) => this.#openTerm(fence, lost),
      mayTryAgain: (error) => error instanceof StorageUnavailable || error instanceof LeadershipLost,
      leaderChanged: (leader) => this.#leaderChanged(leader),
    });
  }

  async #openTerm(fence: number, lost: () => void): Promise<LeaderTerm> {
    const { clock, logger, openContext, buildApp, begin, drainMs, database } = this.#parts;
    const storage = database.under(fence, lost);
    const ticker = new Ticker(clock, logger);
    let app: FastifyInstance | undefined;
    let term: LeaderTerm | undefined;
    try {
      const context = await openContext(storage, this.#redis, this.#metrics);
      app = await buildApp(context, this.#metrics, {
        url: this.#url,
        closing: () => term?.closing === true,
        group: {
          leads: () => this.#seat.serving === term && term !== undefined,
          seat: () => this.seat(),
          roster: this.#presence,
        },
      });
      term = new LeaderTerm({
        context,
        storage,
        ticker,
        app,
        drained: () => this.#drained(drainMs),
        ended: () => this.#metrics.forget(),
      });
      await recordTakeover(context, { ...this.#presence.self, fence });
      await begin(context, ticker);
      return term;
    } catch (error) {
      storage.seal();
      this.#metrics.forget();
      if (term === undefined) await app?.close();
      else await term.abandon();
      throw error;
    }
  }

  #leaderChanged(leader: Leader | null): void {
    this.#answers.leaderChanged(leader);
    if (leader === null) return;
    this.#parts.logger.info({ seat: 'standby', fence: leader.fence, leaderUrl: leader.url }, 'another console leads');
  }

  /** Waits until nothing is being answered, and cuts off what takes longer. */
  async #drained(patienceMs: number): Promise<void> {
    const { clock } = this.#parts;
    const abandon = clock.after(patienceMs, () => this.#answers.abandon());
    const cut = clock.after(patienceMs + REFUSE_MS, () => this.#door.cut());
    await this.#door.idle();
    abandon.cancel();
    cut.cancel();
  }

  async #close(): Promise<void> {
    await this.#seat?.stop();
    await this.#presence?.stop();
    this.#answers.close();
    this.#door.cut();
    await this.#door.close();
    await this.#standby?.close();
    await this.#limiters.logins.close();
    this.#redis.close();
    await this.#parts.database.shared.close();
  }
}

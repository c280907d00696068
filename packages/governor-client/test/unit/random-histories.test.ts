import { chargeFor, MULTIPART_OBJECT_COST, type S3Operation } from '@weir/governor';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AgentGovernor } from '../../src/index.ts';
import { CoordinatorGranter, FreeGranter } from './granters.ts';
import { SimulatedConsole, type Fate, type Granter } from './simulated-console.ts';
import { SimulatedTime } from './simulated-time.ts';

const OPERATIONS: S3Operation[] = ['ListObjectsV2', 'PutObject', 'CreateMultipartUpload', 'GetObject', 'UploadPart'];
const ALL_TYPES = new Set(['LIST', 'GET', 'PUT'] as const);

type Step =
  | { do: 'pass'; ms: number }
  | { do: 'operations'; operation: S3Operation; count: number; attempt: number }
  | { do: 'network'; fate: Fate; delayMs: number }
  | { do: 'restart' }
  | { do: 'claim'; arrives: boolean; delayMs: number }
  | { do: 'limiter'; on: boolean }
  | { do: 'budget'; credits: number }
  | { do: 'holdoff' }
  | { do: 'jobs'; running: number }
  | { do: 'give-up' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.integer({ min: 1, max: 12_000 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('operations'),
      operation: fc.constantFrom(...OPERATIONS),
      count: fc.integer({ min: 1, max: 30 }),
      attempt: fc.constantFrom(0, 0, 0, 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('network'),
      fate: fc.constantFrom<Fate>('delivered', 'request-lost', 'answer-lost'),
      delayMs: fc.constantFrom(2, 400, 9_000),
    }),
  },
  fc.record({ do: fc.constant('restart') }),
  fc.record({ do: fc.constant('claim'), arrives: fc.boolean(), delayMs: fc.constantFrom(1, 300, 8_000) }),
  fc.record({ do: fc.constant('limiter'), on: fc.boolean() }),
  fc.record({ do: fc.constant('budget'), credits: fc.oneof(fc.constant(0), fc.integer({ min: 11, max: 60 })) }),
  fc.record({ do: fc.constant('holdoff') }),
  fc.record({ do: fc.constant('jobs'), running: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ do: fc.constant('give-up') }),
);

interface Operation {
  index: number;
  cost: number;
  controller: AbortController;
  outcome: 'waiting' | 'admitted' | 'given-up';
  admittedAtMs: number;
  /** Whether credits were taken for it. */
  charged: boolean;
}

/** One agent that lives through a history, and notes what its gate did. */
class History {
  readonly time = new SimulatedTime();
  readonly console: SimulatedConsole;
  readonly operations: Operation[] = [];
  readonly problems: string[] = [];
  runningJobs = 1;
  readonly governor: AgentGovernor;

  constructor(seed: number, makeGranter: (now: () => number) => Granter) {
    this.console = new SimulatedConsole(this.time, makeGranter(this.time.now));
    let state = seed;
    this.governor = new AgentGovernor({
      transport: this.console,
      identity: { version: '1', host: 'h', bootId: 'b' },
      runningJobs: () => this.runningJobs,
      takeTransferredBytes: () => ({ bytesRead: 0, bytesWritten: 0 }),
      now: this.time.now,
      startTimer: this.time.startTimer,
      random: () => {
        state = (state * 48_271) % 2_147_483_647;
        return state / 2_147_483_647;
      },
    });
    this.governor.start();
  }

  async take(step: Step): Promise<void> {
    const { console, governor, time } = this;
    switch (step.do) {
      case 'pass':
        await time.advance(step.ms);
        break;
      case 'operations':
        for (let index = 0; index < step.count; index++) this.#charge(step.operation, step.attempt);
        break;
      case 'network':
        console.fate = step.fate;
        console.delayMs = step.delayMs;
        break;
      case 'restart':
        console.granter.restart();
        break;
      case 'claim': {
        const answer = console.claim();
        if (!step.arrives) break;
        time.startTimer(() => {
          this.runningJobs = Math.max(1, this.runningJobs);
          governor.acceptGrant(answer.grant, answer.limiter);
        }, step.delayMs);
        break;
      }
      case 'limiter':
        console.switchLimiter(step.on);
        break;
      case 'budget':
        console.granter.setBudget(step.credits);
        break;
      case 'holdoff':
        governor.startHoldoff({ reason: '503', jobId: 'j' });
        break;
      case 'jobs':
        this.runningJobs = step.running;
        break;
      case 'give-up': {
        const waiting = this.operations.filter(({ outcome }) => outcome === 'waiting');
        waiting[Math.floor(waiting.length / 2)]?.controller.abort(new Error('given up'));
        break;
      }
    }
    await time.settle();
  }

  #charge(name: S3Operation, attempt: number): void {
    const operation: Operation = {
      index: this.operations.length,
      cost: chargeFor(name, attempt, ALL_TYPES)?.cost ?? 0,
      controller: new AbortController(),
      outcome: 'waiting',
      admittedAtMs: Number.NaN,
      charged: false,
    };
    this.operations.push(operation);
    const parked = this.governor.charge(name, attempt, operation.controller.signal);
    if (parked === undefined) this.#admitted(operation);
    else {
      parked.then(
        () => this.#admitted(operation),
        () => {
          operation.outcome = 'given-up';
        },
      );
    }
  }

  #admitted(operation: Operation): void {
    operation.outcome = 'admitted';
    if (this.governor.holdoff !== null) this.problems.push(`operation ${operation.index} passed a holdoff`);
    if (operation.cost === 0) return;
    operation.charged = this.governor.status.mode !== 'open';
    operation.admittedAtMs = this.time.now();
  }
}

describe.each([
  ['a console that grants anything', () => new FreeGranter()],
  ["the governor's own coordinator", (now: () => number) => new CoordinatorGranter(now)],
])('%s', (_, makeGranter) => {
  test('whatever is lost, late, repeated or restarted: no window is overspent, every charge is reported, everything resumes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 60 }),
        fc.integer({ min: 1, max: 2 ** 30 }),
        async (steps, seed) => {
          const history = new History(seed, makeGranter);
          for (const step of steps) await history.take(step);

          // Calm: the network and the console are well again, work is there, and the longest holdoff passes.
          const { console, governor, time } = history;
          Object.assign(console, { fate: 'delivered', delayMs: 2 });
          console.granter.setBudget(60);
          history.runningJobs = 1;
          await time.advance(330_000);
          for (let window = 0; window < 60 && governor.status.parkedOps > 0; window++) await time.advance(5_000);
          await time.advance(20_000);
          history.runningJobs = 0;
          await time.advance(10_000);
          expect(history.operations.filter(({ outcome }) => outcome === 'waiting')).toEqual([]);
          const stopping = governor.stop();
          await time.advance(2_000);
          await stopping;

          expect(history.problems).toEqual([]);
          const admittedAt = history.operations
            .map(({ admittedAtMs }) => admittedAtMs)
            .filter((ms) => !Number.isNaN(ms));
          expect(admittedAt).toEqual(admittedAt.toSorted((a, b) => a - b));
          for (const [window, usage] of console.reported) {
            expect(usage.creditBudget).toBe(console.granted.get(window));
            // An object in parts that no window could hold is admitted alone, and paid for by the windows that follow.
            const alone = usage.chargedOps === MULTIPART_OBJECT_COST;
            expect(usage.chargedOps).toBeLessThanOrEqual(alone ? MULTIPART_OBJECT_COST : usage.creditBudget);
          }
          const charged = history.operations.filter(({ charged }) => charged).reduce((sum, { cost }) => sum + cost, 0);
          const reported = [...console.reported.values()].reduce((sum, { chargedOps }) => sum + chargedOps, 0);
          expect(reported).toBe(charged);
          // Neither a storm nor silence: at most a heartbeat per second, and two for each thing that asks for one at once.
          expect(console.heartbeats).toBeLessThanOrEqual(time.now() / 1_000 + 2 * steps.length);
          expect(console.heartbeats).toBeGreaterThanOrEqual(300_000 / 12_000);
          expect(time.timers).toBe(0);
        },
      ),
      { numRuns: 200 },
    );
  });
});

import type { Assignment, CopyCounters, Holdoff, ShardWork } from '@weir/protocol';
import { pino } from 'pino';
import { SimulatedTime } from '../../../../packages/governor-client/test/unit/simulated-time.ts';
import { NO_COUNTERS, type CopyEnd } from '../../src/shards/copy-engine.ts';
import type { LeaseEnd } from '../../src/shards/shard-reporter.ts';
import { ShardRun } from '../../src/shards/shard-run.ts';
import { anAssignment } from './assignments.ts';
import { FakeEngine, type FakeCopy } from './fake-engine.ts';
import { ReportedConsole } from './reported-console.ts';

export function counters(objectsCopied: number, more: Partial<CopyCounters> = {}): CopyCounters {
  return { ...NO_COUNTERS, objectsCopied, ...more };
}

/** A shard whose copying is the test. */
export class ShardBench {
  readonly time = new SimulatedTime();
  readonly console = new ReportedConsole();
  readonly engine = new FakeEngine();
  readonly splits: string[][] = [];
  readonly log: Record<string, unknown>[] = [];
  holdoff: Holdoff | null = null;
  startsHoldoff = true;
  splitAnswer: ShardWork | Error = { type: 'range', startAfter: null, endAt: 'm' };
  end: LeaseEnd | null = null;
  readonly run: ShardRun;

  constructor(assignment: Partial<Assignment> = {}, prepare: (bench: ShardBench) => void = () => undefined) {
    prepare(this);
    this.run = new ShardRun({
      assignment: anAssignment(assignment),
      engine: this.engine,
      console: {
        split: async (_, __, boundaries) => {
          this.splits.push(boundaries);
          if (this.splitAnswer instanceof Error) throw this.splitAnswer;
          return this.splitAnswer;
        },
        report: (_, report, signal) => this.console.report(report, signal),
      },
      holdoff: () => this.holdoff,
      onThrottled: () => this.startsHoldoff,
      log: pino({ base: null }, { write: (line: string) => void this.log.push(JSON.parse(line)) }),
      timing: { now: this.time.now, startTimer: this.time.startTimer, random: () => 0.5 },
      reportIntervalMs: 2_000,
      drainMs: 4_000,
      patienceMs: 60_000,
    });
    void this.run.ended.then((end) => (this.end = end));
  }

  get last(): FakeCopy {
    return this.engine.last;
  }

  endCopy(end: CopyEnd): Promise<void> {
    this.engine.last.end(end);
    return this.time.settle();
  }
}

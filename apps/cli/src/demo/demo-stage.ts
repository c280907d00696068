import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Client } from '@weir/s3-copy';
import { startFauxqsProcess } from '@weir/testkit/s3';
import { type Fleet, type FleetAgent, startFleet } from './fleet.ts';
import { openS3, type S3Access } from './objects.ts';

/** Everything that a demo runs on: two S3 servers, a console and, once added, agents. */
export interface DemoStage {
  readonly source: S3Access;
  readonly target: S3Access;
  readonly sourceClient: S3Client;
  readonly targetClient: S3Client;
  readonly fleet: Fleet;
  /** Ends every process that was started and removes the data folder. */
  stop(): Promise<void>;
}

/** How the stage is set up. */
export interface DemoStageOptions {
  port: number;
  windowSeconds: number;
  adminPassword: string;
  /** Time that each server lets every request wait, in ms: what a real object store over a network takes. */
  requestDelayMs: number;
}

/**
 * The demo's agents. Two want more than their share; the third works on few objects at once, so it leaves some of its share
 * unused and the coordinator gives that to the other two: what the monitor is there to show.
 */
export const DEMO_AGENTS: readonly FleetAgent[] = [
  { name: 'agent-1', concurrency: 8, slots: 4 },
  { name: 'agent-2', concurrency: 8, slots: 4 },
  { name: 'agent-3', concurrency: 2, slots: 1 },
];

/** Starts servers and console. Whatever was started is ended again when something fails. */
export async function openStage(options: DemoStageOptions): Promise<DemoStage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'weir-demo-'));
  const undo: (() => Promise<void>)[] = [() => rm(dataDir, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  try {
    const { requestDelayMs } = options;
    const source = await startFauxqsProcess({ requestDelayMs });
    undo.push(() => source.stop());
    const target = await startFauxqsProcess({ requestDelayMs });
    undo.push(() => target.stop());
    const sourceClient = openS3(source);
    undo.push(() => sourceClient.close());
    const targetClient = openS3(target);
    undo.push(() => targetClient.close());
    const fleet = await startFleet({ dataDir, ...options });
    undo.push(() => fleet.stop());
    return { source, target, sourceClient, targetClient, fleet, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

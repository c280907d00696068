import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3TestServer } from '@weir/testkit/s3';
import { startFleet, type Fleet } from '../../../apps/cli/src/demo/fleet.ts';
import { runProgram, type FinishedProgram } from './program.ts';
import { startRecorder, type Arrival, type Recorder } from './recorder.ts';

export const LIMIT_TPS = 100;
/** Short, so that a test sees many windows. */
const WINDOW_SECONDS = 1;

/** Programs under one console, each before the same S3 server with a recorder of its own. */
export class Stage {
  readonly place: string;
  readonly fleet: Fleet;
  readonly server: S3TestServer;
  /** Enrolment token; a test may take it away. */
  token: string;
  readonly #recorders: Recorder[] = [];

  private constructor(place: string, fleet: Fleet, server: S3TestServer, token: string) {
    this.place = place;
    this.fleet = fleet;
    this.server = server;
    this.token = token;
  }

  /** A console in a process of its own, limited to `LIMIT_TPS`. The server ends with the stage. */
  static async start(server: S3TestServer): Promise<Stage> {
    const place = await mkdtemp(join(tmpdir(), 'weir-example-'));
    const adminPassword = 'example-password';
    const fleet = await startFleet({ dataDir: place, port: 0, windowSeconds: WINDOW_SECONDS, adminPassword });
    const { settings } = await fleet.admin.call('governorSettings');
    await fleet.admin.call('saveGovernorSettings', { body: { ...settings, enabled: true, globalLimitTps: LIMIT_TPS } });
    return new Stage(place, fleet, server, (await fleet.admin.call('enrolment')).token);
  }

  /** Runs `main.ts` of an example until it ends; says what it did and what of it reached the server. */
  async run(
    folder: string,
    program: { name: string; args: readonly string[]; concurrency: number; input?: string },
  ): Promise<FinishedProgram & { arrivals: readonly Arrival[] }> {
    const recorder = await startRecorder(this.server);
    this.#recorders.push(recorder);
    const env = {
      WEIR_URL: this.fleet.url,
      WEIR_TOKEN: this.token,
      WEIR_NAME: program.name,
      WEIR_CREDENTIAL_FILE: this.credentialFile(program.name),
      CONCURRENCY: String(program.concurrency),
      S3_URL: recorder.url,
      AWS_REGION: this.server.region,
      AWS_ACCESS_KEY_ID: this.server.accessKeyId,
      AWS_SECRET_ACCESS_KEY: this.server.secretAccessKey,
    };
    return { ...(await runProgram(folder, program.args, env, program.input)), arrivals: recorder.arrivals };
  }

  credentialFile(name: string): string {
    return join(this.place, `${name}-credential`);
  }

  /** Operations that the console knows to have been charged, by all programs; it writes them down once a second. */
  async charged(): Promise<number> {
    const { windows } = await this.fleet.admin.call('windows', { query: { limit: 1_000 } });
    return windows.reduce((total, { chargedOps }) => total + chargedOps, 0);
  }

  async stop(): Promise<void> {
    await this.fleet.stop();
    await Promise.all(this.#recorders.map((each) => each.stop()));
    await this.server.stop();
    await rm(this.place, { recursive: true, force: true });
  }
}

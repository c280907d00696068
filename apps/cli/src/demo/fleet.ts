import { join } from 'node:path';
import { type Client, createClient, withSessionCookies } from '@weir/client';
import { type Child, startChild } from './child.ts';

/** A console and agents, each in a process of its own, as an operator would run them. */
export interface FleetOptions {
  /** Folder for the console's database and the agents' state. */
  dataDir: string;
  /** Port of the console on 127.0.0.1; 0: any free one. */
  port: number;
  windowSeconds: number;
  /** Password of the user `admin` when the data folder is new. */
  adminPassword: string;
}

/** How one agent of a fleet differs from the defaults. */
export interface FleetAgent {
  name: string;
  /** Objects copied at once. */
  concurrency?: number;
  /** Key ranges worked on at once. */
  slots?: number;
  /** Holdoff after SlowDown, in seconds: lowest and highest. Default: the agent's own, 30 and 300. */
  holdoffSeconds?: readonly [number, number];
}

/** A running fleet. `stop` ends every process it started, agents first. */
export interface Fleet {
  readonly url: string;
  /** Logged in as admin. */
  readonly admin: Client;
  readonly console: Child;
  readonly agents: ReadonlyMap<string, Child>;
  addAgent(agent: FleetAgent): Promise<void>;
  /** Kills an agent the hard way. */
  killAgent(name: string): Promise<void>;
  /** Kills the console the hard way and starts it again on the same data and port. */
  restartConsole(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the console and logs in; agents are added with `addAgent`. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const agents = new Map<string, Child>();
  let consoleProcess = await startConsoleProcess(options, options.port);
  const url = readyUrl(consoleProcess);
  const admin = createClient({ baseUrl: url, fetch: withSessionCookies() });
  const token = await logIn(admin, options.adminPassword).catch(async (error: unknown) => {
    await consoleProcess.stop();
    throw error;
  });
  return {
    url,
    admin,
    get console() {
      return consoleProcess;
    },
    agents,
    addAgent: async (agent) => {
      agents.set(agent.name, await startAgentProcess(options, url, token, agent));
    },
    killAgent: async (name) => {
      await agents.get(name)?.kill();
      agents.delete(name);
    },
    restartConsole: async () => {
      await consoleProcess.kill();
      consoleProcess = await startConsoleProcess(options, Number(new URL(url).port));
    },
    stop: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.stop()));
      agents.clear();
      await consoleProcess.stop();
    },
  };
}

async function logIn(admin: Client, password: string): Promise<string> {
  await admin.call('login', { body: { username: 'admin', password } });
  return (await admin.call('enrolment')).token;
}

function startConsoleProcess(options: FleetOptions, port: number): Promise<Child> {
  const args = ['console', '--json', '--data-dir', join(options.dataDir, 'console'), '--port', String(port)];
  return startChild([...args, '--window-seconds', String(options.windowSeconds)], {
    WEIR_ADMIN_PASSWORD: options.adminPassword,
  });
}

function startAgentProcess(options: FleetOptions, url: string, token: string, agent: FleetAgent): Promise<Child> {
  const args = ['agent', '--json', '--console', url, '--name', agent.name];
  args.push('--state-dir', join(options.dataDir, 'agents', agent.name));
  if (agent.concurrency !== undefined) args.push('--concurrency', String(agent.concurrency));
  if (agent.slots !== undefined) args.push('--slots', String(agent.slots));
  if (agent.holdoffSeconds !== undefined) args.push('--holdoff-seconds', agent.holdoffSeconds.join('-'));
  // The token goes through the environment: a command line can be read by every user of the machine.
  return startChild(args, { WEIR_TOKEN: token });
}

function readyUrl(child: Child): string {
  const url = child.ready['url'];
  if (typeof url !== 'string') throw new TypeError('the console became ready without saying its address');
  return url;
}

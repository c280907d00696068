/*
 * One step of the console suite, to see what a change of the console brings; two minutes with 100,000 agents.
 *
 *   npm run fleet -w benchmarks -- [agents] [policy] [seconds] [sqlite|group] [folder for a CPU profile of the console]
 *
 * Default: 100,000 agents, reclaim, 30 s, SQLite, no profile. "group" is PostgreSQL, Redis and the overshoot guard. Build the
 * console first.
 */
import { measureFleet } from './fleet.ts';
import { startGroupServers } from './group-servers.ts';

const [agents = '100000', policy = 'reclaim', seconds = '30', where = 'sqlite', profileFolder] = process.argv.slice(2);
if (!(Number(agents) > 0) || !(Number(seconds) > 0) || !['sqlite', 'group'].includes(where)) {
  process.stderr.write(
    'Usage: npm run fleet -w benchmarks -- [agents] [reclaim|max-min] [seconds] [sqlite|group] [profile folder]\n',
  );
  process.exit(2);
}
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const servers = where === 'group' ? await startGroupServers() : undefined;
const group = servers && { place: servers.place, overshootGuard: true };
const choices = { ...group, ...(profileFolder !== undefined && { profileFolder }) };
const measured = await measureFleet(Number(agents), policy, Number(seconds), say, choices);
await servers?.stop();
process.stdout.write(`${JSON.stringify(measured)}\n`);

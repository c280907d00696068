/*
 * One step of the console suite, to see what a change of the console brings; two minutes with 100,000 agents.
 *
 *   npm run fleet -w benchmarks -- [agents] [policy] [seconds] [folder for a CPU profile of the console]
 *
 * Default: 100,000 agents, reclaim, 30 s, no profile. Build the console first.
 */
import { measureFleet } from './fleet.ts';

const [agents = '100000', policy = 'reclaim', seconds = '30', profileFolder] = process.argv.slice(2);
if (!(Number(agents) > 0) || !(Number(seconds) > 0)) {
  process.stderr.write('Usage: npm run fleet -w benchmarks -- [agents] [reclaim|max-min] [seconds] [profile folder]\n');
  process.exit(2);
}
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const measured = await measureFleet(Number(agents), policy, Number(seconds), say, profileFolder);
process.stdout.write(`${JSON.stringify(measured)}\n`);

// An agent in a process of its own, for tests that kill it. Its options are the first argument, as JSON.
import { startAgent } from '../../src/index.ts';

const agent = await startAgent(JSON.parse(process.argv[2] ?? '{}'));
process.on('SIGTERM', () => void agent.stop());
const end = await agent.done;
process.exitCode = end.reason === 'stopped' ? 0 : 1;

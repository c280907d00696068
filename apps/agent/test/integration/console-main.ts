// A console in a process of its own, for tests that kill it. Its options are the first argument, as JSON.
import { startConsole } from '@weir/console';
import { endpointProbe } from './endpoint-probe.ts';

const running = await startConsole(JSON.parse(process.argv[2] ?? '{}'), { endpointProbe });
process.stdout.write(`${JSON.stringify({ url: running.url, enrolmentToken: running.enrolmentToken })}\n`);
process.on('SIGTERM', () => void running.stop());

/**
 * A console of a group as a process of its own. Argument: its options, JSON. Prints its address and tokens as a line of JSON when
 * it answers, and ends with SIGTERM.
 */
import type { ConsoleOptionsInput } from '../../src/index.ts';
import { startConsole } from '../../src/index.ts';
import { FakeProbe } from './fake-probe.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test wrote it
const options = JSON.parse(process.argv[2] ?? '') as ConsoleOptionsInput;
const console = await startConsole(options, { endpointProbe: new FakeProbe() });
process.once('SIGTERM', () => void console.stop().then(() => process.exit(0)));
process.stdout.write(`${JSON.stringify({ url: console.url, enrolmentToken: console.enrolmentToken })}\n`);

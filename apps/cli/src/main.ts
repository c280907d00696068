import { buildProgram } from './program.ts';
import { processTerminal } from './output/terminal.ts';

process.exitCode = await buildProgram(processTerminal()).run(process.argv.slice(2));

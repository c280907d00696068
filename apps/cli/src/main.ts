import { buildProgram } from './program.ts';
import { processTerminal } from './output/terminal.ts';

// Whoever reads the output may stop, as head does; what is left to say then has no reader.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
process.exitCode = await buildProgram(processTerminal()).run(process.argv.slice(2));

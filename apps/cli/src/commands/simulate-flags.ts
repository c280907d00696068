import type { Command } from 'commander';
import type { Terminal } from '../output/terminal.ts';

const SCENARIO = JSON.stringify({
  globalLimitTps: 10_000,
  windows: 10,
  agents: [
    { id: 'hungry', demandTps: 20_000 },
    { id: 'quiet', demandTps: 500 },
    { id: 'steady', count: 8, demandTps: 900, burstTps: 1_200, runsFrom: 3 },
  ],
});

const EXAMPLES = `
Example of a scenario file:
  ${SCENARIO}

Examples:
  $ weir simulate fleet.json
  $ weir simulate fleet.json --json
  $ weir simulate - < fleet.json
`;

/** Adds `weir simulate`. */
export function addSimulate(program: Command, terminal: Terminal, ending: (code: number) => void): void {
  program
    .command('simulate <file>')
    .description('what the coordinator would do with the fleet that a scenario file describes')
    .option('--json', 'print windows and summary as one JSON object', false)
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: { json: boolean }) => {
      const { simulateCommand } = await import('./simulate.ts');
      ending(await simulateCommand(file, options, terminal));
    });
}

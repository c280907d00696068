import type { Command } from 'commander';
import type { Terminal } from '../output/terminal.ts';
import type { ManifestFlags } from './manifest.ts';

const HELP = `
A manifest of a console's job is signed; --key says whose signature you trust (the console shows its key on the page of a job).
Without it, the key inside of the document only shows that nothing was changed after it was signed. The manifest of "weir copy"
has no signature: its digest is computed again over all its lines.

Exit code: 0 it is whole (and signed by that key) · 1 it is not · 2 it cannot be read.

Examples:
  $ weir manifest verify job-17.json --key console.pem
  $ weir manifest verify a-to-b.manifest --json
`;

/** Adds `weir manifest` to the command line. */
export function addManifest(program: Command, terminal: Terminal, ending: (code: number) => void): void {
  const manifest = program.command('manifest').description('what copies have written down about themselves');
  manifest
    .command('verify <file>')
    .description('check that a manifest is whole, and who signed it')
    .option('--key <file>', 'public key of the console that must have signed it, in PEM')
    .option('--json', 'print the result as one JSON object', false)
    .addHelpText('after', HELP)
    .action(async (file: string, flags: ManifestFlags) => {
      const { manifestVerifyCommand } = await import('./manifest.ts');
      ending(await manifestVerifyCommand(file, flags, terminal));
    });
}

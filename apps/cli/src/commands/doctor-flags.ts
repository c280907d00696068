import type { Command } from 'commander';
import { CONSOLE_DEFAULTS, OPTION_WAYS } from '@weir/console/options';
import { DEFAULT_REGION } from '../copy/sides.ts';
import type { Terminal } from '../output/terminal.ts';
import type { DoctorFlags } from './doctor-options.ts';
import { collected, consoleAddresses, wholeNumber } from './flag-values.ts';
import { flagOf } from './option-ways.ts';

/** Adds `weir doctor`. */
export function addDoctor(program: Command, terminal: Terminal, ending: (code: number) => void): void {
  program
    .command('doctor')
    .description('check this machine, and the console, stores and S3 servers that you name: what is wrong, what to do')
    .option('--data-dir <folder>', 'data folder of a console on this machine: rights, secrets file, disk')
    .option('--host <address>', 'address that a console would listen on (with --port)', CONSOLE_DEFAULTS.host)
    .option('--port <number>', 'port that a console would listen on: is it free', wholeNumber(1, 65_535))
    .option('--tls-cert <file>', 'certificate of a console (PEM): how long it is valid, whether the key belongs to it')
    .option('--tls-key <file>', 'its private key (PEM)')
    .option('--state-dir <folder>', 'state folder of an agent on this machine: its credentials and who can read them')
    .option('--console <url,…>', 'each console: name, reachability, certificate, version, clock', consoleAddresses)
    .option('--user <name>', 'log in there as well, with the password of WEIR_PASSWORD or --password-file')
    .option('--password-file <file>', 'file with the password')
    .option('--store <url>', 'a quota store, redis://… or memcached://… (can be repeated)', collected, [])
    .addOption(flagOf(OPTION_WAYS.storageUrl, '<url>', 'the database of consoles, postgres://…'))
    .option('--s3 <url>', 'an S3 server; credentials from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
    .option('--s3-region <name>', 'its region', DEFAULT_REGION)
    .option('--s3-bucket <name>', 'a bucket that must be there')
    .option('--virtual-hosts', 'the bucket is part of the host name, not of the path', false)
    .option('--json', 'print one JSON object', false)
    .addHelpText(
      'after',
      `
This machine is always checked: Node, open files, memory. A check of a store writes one counter that expires after a minute;
everything else only reads. Exit code: 0 all is well, 1 warnings only, 2 something fails or the doctor could not run.

Examples:
  $ weir doctor
  $ weir doctor --data-dir /var/lib/weir/console --port 8180 --storage-url postgres://weir@db/weir
  $ weir doctor --console https://weir.example:8180 --state-dir /var/lib/weir/agent
  $ AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… weir doctor --s3 https://s3.example --s3-bucket photos --json
  $ weir doctor --store redis://cache:6379 --store memcached://cache:11211
`,
    )
    .action(async (flags: DoctorFlags) => {
      const { doctorCommand } = await import('./doctor.ts');
      ending(await doctorCommand(flags, terminal));
    });
}

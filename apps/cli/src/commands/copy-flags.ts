import { Option, type Command } from 'commander';
import { DEFAULT_MULTIPART_THRESHOLD_BYTES, DEFAULT_PART_BYTES } from '@weir/s3-copy/defaults';
import { DEFAULT_REGION } from '../copy/sides.ts';
import type { Terminal } from '../output/terminal.ts';
import type { CopyFlags } from './copy-options.ts';
import { optionTelling } from './option-ways.ts';
import { collected, decimalNumber, moment, oneOf, secondsRange, sizeInBytes, wholeNumber } from './flag-values.ts';

const HELP = `
<source> and <target> are s3://BUCKET or s3://BUCKET/PREFIX. The target's prefix replaces the source's: end both with / to copy
a folder.

Credentials come from WEIR_SOURCE_ACCESS_KEY_ID, WEIR_SOURCE_SECRET_ACCESS_KEY and WEIR_TARGET_… in the environment
(_SESSION_TOKEN, _REGION and _URL are read too), from profiles of ~/.aws, or from the variables that the AWS command line
reads. A target about which nothing is said is in the same store as the source.

Exit code: 0 everything is copied · 1 some objects failed · 2 could not run, or not to the end · 130 interrupted.
Ctrl-C ends a copy within seconds and leaves no unfinished upload; with --resume the same command goes on from there.

Examples:
  $ weir copy s3://photos/2026/ s3://archive/photos/2026/ --source-profile old --target-profile new --tps 500
  $ weir copy s3://photos s3://archive --source-url http://127.0.0.1:7480 --mode incremental --check listing
  $ weir copy s3://photos s3://archive --exclude '**/tmp/**' --newer-than 7d --max-size 5GiB --dry-run
  $ weir copy s3://photos s3://archive --resume photos.state --failed photos.failed --json
  $ weir copy s3://photos s3://archive --retry photos.failed
`;

/** Adds `weir copy` to the command line. */
export function addCopy(program: Command, terminal: Terminal, ending: (code: number) => void): void {
  const command = program
    .command('copy <source> <target>')
    .description('copy objects between S3 stores on this machine alone, without a console');
  addPlaces(command);
  addSelection(command);
  addPace(command);
  addFiles(command);
  command.addHelpText('after', HELP).action(async (source: string, target: string, flags: CopyFlags) => {
    const { copyCommand } = await import('./copy.ts');
    ending(await copyCommand(source, target, flags, terminal));
  });
}

function addPlaces(command: Command): void {
  for (const side of ['source', 'target']) {
    const variables = `WEIR_${side.toUpperCase()}`;
    command
      .addOption(optionTelling(`--${side}-url <url>`, `address of the ${side}'s store`, 'AWS'))
      .addOption(optionTelling(`--${side}-region <name>`, `region of the ${side}`, DEFAULT_REGION))
      .addOption(
        optionTelling(
          `--${side}-addressing <style>`,
          'path: http://host/bucket · virtual: http://bucket.host',
          'path; virtual for AWS',
        ).argParser(oneOf('path', 'virtual')),
      )
      .option(`--${side}-profile <name>`, 'profile of ~/.aws with credentials, and perhaps region and address')
      .option(`--${side}-env <name>`, `read <name>_ACCESS_KEY_ID, … instead of ${variables}_ACCESS_KEY_ID, …`)
      .option(`--${side}-access-key <key>`, 'access key')
      .option(
        `--${side}-secret-key <secret>`,
        'secret key; everybody on this machine can read it: better use variables',
      );
  }
  command.option('--create-bucket', "make the target's bucket when it does not exist", false);
}

function addSelection(command: Command): void {
  const ago = moment(() => Date.now());
  command
    .option(
      '--mode <mode>',
      'copy-all · target-skip: not what exists at the target · incremental: what differs or is newer',
      oneOf('copy-all', 'target-skip', 'incremental'),
      'copy-all',
    )
    .option(
      '--check <how>',
      'how target-skip and incremental look at the target: listing (1 request for 1,000 objects) · head (1 for each)',
      oneOf('listing', 'head'),
      'listing',
    )
    .option(
      '--include <glob>',
      'only these; * within a folder, ** any, ? one character (can be repeated)',
      collected,
      [],
    )
    .option('--exclude <glob>', 'not these, even if included (can be repeated)', collected, [])
    .option('--min-size <size>', 'only objects of at least this size, for example 1MiB', sizeInBytes)
    .option('--max-size <size>', 'only objects of at most this size', sizeInBytes)
    .option('--newer-than <time>', 'only objects modified since, a date or an age such as 36h', ago)
    .option('--older-than <time>', 'only objects modified before', ago)
    .option('--dry-run', 'list what would be copied, and write nothing', false);
}

function addPace(command: Command): void {
  command
    .addOption(
      optionTelling(
        '--tps <number>',
        'most operations per second, counted as a console counts them',
        'no limit',
      ).argParser(wholeNumber(1, 1_000_000_000)),
    )
    .option(
      '--costs <model>',
      'what counts: per-object (the documented costs: LIST 1, PUT 1, an object in parts 11) · per-request (every request sent)',
      oneOf('per-object', 'per-request'),
      'per-object',
    )
    .option(
      '--window-seconds <number>',
      'credits of so long may be spent at once: less is smoother, 30 is what agents do',
      decimalNumber(0.05, 300),
      0.1,
    )
    .option(
      '--server-side <when>',
      'let a store that holds both sides copy within itself: auto (same address and credentials) · always · never',
      oneOf('auto', 'always', 'never'),
      'auto',
    )
    .option('--concurrency <number>', 'objects copied at once', wholeNumber(1, 4_096), 64)
    .addOption(
      optionTelling(
        '--multipart-threshold <size>',
        'objects from this size on travel in parts',
        inMebibytes(DEFAULT_MULTIPART_THRESHOLD_BYTES),
      ).argParser(sizeInBytes),
    )
    .addOption(
      optionTelling('--part-size <size>', 'size of a part', inMebibytes(DEFAULT_PART_BYTES)).argParser(sizeInBytes),
    )
    .addOption(
      new Option('--holdoff-seconds <low-high>', 'seconds of pause after SlowDown, drawn between these')
        .argParser(secondsRange)
        .default([30, 300], '30-300'),
    )
    .option(
      '--patience <seconds>',
      'how long a store that does not answer is waited for, in seconds',
      wholeNumber(0, 604_800),
      900,
    );
}

/** As `sizeInBytes` reads it. */
function inMebibytes(bytes: number): string {
  return `${bytes / 1_024 ** 2}MiB`;
}

function addFiles(command: Command): void {
  command
    .option('--resume <file>', 'keep the state here, and go on from it when it exists; removed once all is copied')
    .option('--failed <file>', 'write objects that could not be copied, one line of JSON each')
    .option('--manifest <file>', 'write what became of every object, with a digest: see "weir manifest verify"')
    .option('--retry <file>', 'copy only the objects that a file of --failed lists, or keys one a line')
    .option('--max-failures <number>', 'give up when more objects than this failed', wholeNumber(0, 1_000_000), 100_000)
    .addOption(
      optionTelling('--count', 'list the source first, so that progress has an end', 'on a terminal, unless --quiet'),
    )
    .option('--no-count', 'do not')
    .option('--quiet', 'show no progress', false)
    .option('--json', 'print the result as one JSON object', false);
}

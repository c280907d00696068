import { createHash } from 'node:crypto';
import { emptyCounters, problemsOfFilter, type CopyFilter, type CopyTuning } from '@weir/s3-copy';
import type { CopyFlags } from '../commands/copy-options.ts';
import { CommandError } from '../output/command-error.ts';
import { readFailedKeys } from './failed-keys.ts';
import { joinsNames, overlapOf, parsePlace, placeName, type Place } from './place.ts';
import { resolveSides, type SideFlags, type SideName, type SideSettings } from './sides.ts';
import { freshState, readState, type CopyState } from './state-file.ts';
import { profileReader } from './store-access.ts';

/** What a copy is about, once its flags are understood. */
export interface CopyTask {
  readonly flags: CopyFlags;
  readonly places: Readonly<Record<SideName, Place>>;
  readonly sides: Readonly<Record<SideName, SideSettings>>;
  readonly filter: CopyFilter;
  readonly tuning: Partial<CopyTuning>;
  /** Where it begins: at the state of an earlier run, with the keys of a list, or at the first object. */
  readonly state: CopyState;
  /** The state was found in a file: an earlier process may have left uploads at the target. */
  readonly goOn: boolean;
  /** What the user should know before it begins. */
  readonly warnings: readonly string[];
}

/** Reads the flags, and the files that they name. @throws CommandError for the first thing that makes no sense */
export async function copyTask(
  source: string,
  target: string,
  flags: CopyFlags,
  environment: NodeJS.ProcessEnv,
  nowMs: number,
): Promise<CopyTask> {
  const places = { source: parsePlace(source), target: parsePlace(target) };
  const sides = resolveSides(
    {
      source: sideFlags(flags, 'source'),
      target: sideFlags(flags, 'target'),
    },
    { environment, profile: profileReader(environment) },
  );
  refuseOverlap(places, sides);
  const filter = filterOf(flags);
  const tuning = {
    ...given('multipartThresholdBytes', flags.multipartThreshold),
    ...given('partBytes', flags.partSize),
  };
  return {
    flags,
    places,
    sides,
    filter,
    tuning,
    warnings: warningsOf(flags, places),
    ...(await beginning(flags, places, sides, nowMs)),
  };
}

function sideFlags(flags: CopyFlags, side: SideName): SideFlags {
  return {
    ...given('url', flags[`${side}Url`]),
    ...given('region', flags[`${side}Region`]),
    ...given('addressing', flags[`${side}Addressing`]),
    ...given('profile', flags[`${side}Profile`]),
    ...given('env', flags[`${side}Env`]),
    ...given('accessKey', flags[`${side}AccessKey`]),
    ...given('secretKey', flags[`${side}SecretKey`]),
  };
}

/** An object with one field, or with none when there is no value. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> {
  const object: Partial<Record<Name, Value>> = {};
  if (value !== undefined) object[name] = value;
  return object;
}

/** The flag behind each field of a filter. */
const FILTER_FLAGS: Readonly<Record<string, string>> = {
  include: '--include',
  exclude: '--exclude',
  minBytes: '--min-size',
  maxBytes: '--max-size',
  modifiedAfterMs: '--newer-than',
  modifiedBeforeMs: '--older-than',
};

function filterOf(flags: CopyFlags): CopyFilter {
  const filter: CopyFilter = {
    include: flags.include,
    exclude: flags.exclude,
    minBytes: flags.minSize ?? null,
    maxBytes: flags.maxSize ?? null,
    modifiedAfterMs: flags.newerThan ?? null,
    modifiedBeforeMs: flags.olderThan ?? null,
  };
  const problems = problemsOfFilter(filter).map(({ field, problem }) => {
    const [name = '', index] = field.split('.');
    const pattern =
      index === undefined ? '' : ` ${JSON.stringify(flags[name === 'include' ? name : 'exclude'][Number(index)])}`;
    return `${FILTER_FLAGS[name] ?? field}${pattern}: ${problem}`;
  });
  if (problems.length === 0) return filter;
  throw new CommandError('filter-invalid', problems.join('\n  '), {
    remedy: 'See "weir copy --help" for what filters look like.',
  });
}

function refuseOverlap(places: CopyTask['places'], sides: CopyTask['sides']): void {
  if (sides.source.url !== sides.target.url) return;
  const overlap = overlapOf(places.source, places.target);
  if (overlap === null) return;
  const what =
    overlap === 'same'
      ? 'source and target are the same place'
      : 'the target lies inside the source, so copies would be copied again';
  throw new CommandError('places-overlap', what, {
    remedy: 'Give the target another bucket, or a prefix that does not begin with that of the source.',
  });
}

function warningsOf(flags: CopyFlags, places: CopyTask['places']): string[] {
  const warnings: string[] = [];
  if (flags.sourceSecretKey !== undefined || flags.targetSecretKey !== undefined) {
    warnings.push('Warning: everybody on this machine can read a secret key that stands on a command line.');
  }
  if (joinsNames(places.source, places.target)) {
    const { prefix } = places.target;
    const [joined, below] = [`${prefix}…`, `${prefix}/…`].map((text) => JSON.stringify(text));
    warnings.push(
      `Note: the target's prefix does not end with /, so names will begin with ${joined} and not with ${below}.`,
    );
  }
  return warnings;
}

async function beginning(
  flags: CopyFlags,
  places: CopyTask['places'],
  sides: CopyTask['sides'],
  nowMs: number,
): Promise<Pick<CopyTask, 'state' | 'goOn'>> {
  if (flags.retry !== undefined && flags.retry === flags.failed) {
    throw new CommandError('same-file', '--retry and --failed name the same file', {
      remedy: 'Let --failed write to another file: this one would be lost while it is still needed.',
    });
  }
  const about = fingerprint(flags, places, sides);
  const found = flags.resume === undefined ? null : await readState(flags.resume, about);
  if (found !== null) return { state: found, goOn: true };
  const fresh = freshState(about, emptyCounters(), nowMs);
  if (flags.retry === undefined) return { state: fresh, goOn: false };
  const pendingKeys = await readFailedKeys(flags.retry);
  const outside = pendingKeys.find((key) => !key.startsWith(places.source.prefix));
  if (outside !== undefined) {
    const where = placeName(places.source);
    throw new CommandError('list-invalid', `${JSON.stringify(outside)} of ${flags.retry} is not below ${where}`);
  }
  return { state: { ...fresh, pendingKeys }, goOn: false };
}

/** What must be the same for a copy to go on with the state of another. Secrets and paces are not in it. */
function fingerprint(flags: CopyFlags, places: CopyTask['places'], sides: CopyTask['sides']): string {
  // Ages are not in it either: `--newer-than 7d` means another moment in each run.
  const filter = [flags.include, flags.exclude, flags.minSize ?? null, flags.maxSize ?? null];
  const where = [sides.source.url, places.source, sides.target.url, places.target];
  const files = [flags.retry ?? null, flags.failed ?? null, flags.manifest ?? null];
  const what = [where, flags.mode, flags.dryRun, filter, files];
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 16);
}

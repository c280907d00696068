/*
 * Where the two sides of a copy are, and as whom they are spoken to. For each setting the first of these that has it:
 * the side's flags · its variables in the environment · its profile · for the target: the source, when nothing at all
 * was said about the target · the AWS variables · the AWS profile `default`.
 */
import { CommandError } from '../output/command-error.ts';
import type { AwsProfile } from './aws-profile.ts';

/** What the flags of one side say. */
export interface SideFlags {
  url?: string;
  region?: string;
  addressing?: 'path' | 'virtual';
  profile?: string;
  /** Variables `<env>_ACCESS_KEY_ID`, `<env>_SECRET_ACCESS_KEY`, … hold the credentials. */
  env?: string;
  accessKey?: string;
  secretKey?: string;
}

/** All that a client needs to speak to one side. */
export interface SideSettings {
  readonly url: string;
  readonly region: string;
  readonly pathStyle: boolean;
  readonly credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

export interface SideSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads a profile of the AWS command line; null when there is none of that name. */
  readonly profile: (name: string) => AwsProfile | null;
}

export const SIDES = ['source', 'target'] as const;
export type SideName = (typeof SIDES)[number];

/** Region where nothing names one. */
export const DEFAULT_REGION = 'us-east-1';

/** @throws CommandError naming what is missing, and where it may be given */
export function resolveSides(
  flags: Readonly<Record<SideName, SideFlags>>,
  sources: SideSources,
): Record<SideName, SideSettings> {
  const source = resolveSide('source', flags.source, sources);
  const target = saysNothing('target', flags.target, sources) ? source : resolveSide('target', flags.target, sources);
  return { source, target };
}

function saysNothing(side: SideName, flags: SideFlags, { environment }: SideSources): boolean {
  const own = variablesOf(side, flags, environment);
  return [...Object.values(flags), ...Object.values(own)].every((value) => value === undefined);
}

/** Variables that belong to one side. */
function variablesOf(side: SideName, flags: SideFlags, environment: SideSources['environment']): Partial<AwsProfile> {
  const prefix = flags.env ?? `WEIR_${side.toUpperCase()}`;
  return withoutAbsent({
    accessKeyId: environment[`${prefix}_ACCESS_KEY_ID`],
    secretAccessKey: environment[`${prefix}_SECRET_ACCESS_KEY`],
    sessionToken: environment[`${prefix}_SESSION_TOKEN`],
    region: environment[`${prefix}_REGION`],
    endpointUrl: environment[`${prefix}_URL`],
  });
}

/** Variables that all AWS tools read. */
function awsVariables(environment: SideSources['environment']): Partial<AwsProfile> {
  return withoutAbsent({
    accessKeyId: environment['AWS_ACCESS_KEY_ID'],
    secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'],
    sessionToken: environment['AWS_SESSION_TOKEN'],
    region: environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'],
    endpointUrl: environment['AWS_ENDPOINT_URL_S3'] ?? environment['AWS_ENDPOINT_URL'],
  });
}

function withoutAbsent(values: Record<string, string | undefined>): Partial<AwsProfile> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));
}

function resolveSide(side: SideName, flags: SideFlags, sources: SideSources): SideSettings {
  const { environment, profile } = sources;
  const own: AwsProfile = {
    ...withoutAbsent({ accessKeyId: flags.accessKey, secretAccessKey: flags.secretKey }),
    ...withoutAbsent({ region: flags.region, endpointUrl: flags.url, addressing: flags.addressing }),
  };
  const variables = variablesOf(side, flags, environment);
  const named = flags.profile === undefined ? null : namedProfile(flags.profile, profile);
  const levels = [own, variables, named ?? {}];
  // A side that names its profile is not mixed with the credentials of another one.
  if (named === null) levels.push(awsVariables(environment), profile(environment['AWS_PROFILE'] ?? 'default') ?? {});
  const holder = levels.find(
    ({ accessKeyId, secretAccessKey }) => accessKeyId !== undefined || secretAccessKey !== undefined,
  );
  const first = (key: keyof AwsProfile): string | undefined => levels.find((level) => level[key] !== undefined)?.[key];
  const region = first('region') ?? DEFAULT_REGION;
  const url = first('endpointUrl') ?? `https://s3.${region}.amazonaws.com`;
  const addressing = first('addressing') ?? (/\.amazonaws\.com(\.cn)?$/i.test(hostOf(side, url)) ? 'virtual' : 'path');
  return {
    url,
    region,
    pathStyle: addressing === 'path',
    credentials: credentialsOf(side, flags, holder, first('indirect')),
  };
}

function namedProfile(name: string, read: SideSources['profile']): AwsProfile {
  const found = read(name);
  if (found !== null) return found;
  throw new CommandError('profile-unknown', `there is no profile "${name}" in ~/.aws/credentials or ~/.aws/config`, {
    remedy: 'Run "aws configure list-profiles" to see which there are.',
  });
}

function hostOf(side: SideName, url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed !== null && (parsed.protocol === 'http:' || parsed.protocol === 'https:') && parsed.username === '') {
    return parsed.hostname;
  }
  throw new CommandError(
    'url-invalid',
    `the address of the ${side} must begin with http:// or https://, without credentials`,
    {
      remedy: `Write for example --${side}-url https://s3.example.net`,
    },
  );
}

function credentialsOf(
  side: SideName,
  flags: SideFlags,
  holder: AwsProfile | undefined,
  indirect: string | undefined,
): SideSettings['credentials'] {
  const { accessKeyId, secretAccessKey, sessionToken } = holder ?? {};
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  }
  const prefix = flags.env ?? `WEIR_${side.toUpperCase()}`;
  if (holder === undefined && indirect !== undefined) {
    const name = flags.profile ?? 'default';
    throw new CommandError('profile-indirect', `the profile "${name}" gets its credentials by ${indirect}`, {
      remedy: `Let the AWS command line fetch them:  eval "$(aws configure export-credentials --profile ${name} --format env)"`,
    });
  }
  const missing =
    holder === undefined ? 'are no credentials' : `is no ${accessKeyId === undefined ? 'access' : 'secret'} key`;
  throw new CommandError('credentials-missing', `there ${missing} for the ${side}`, {
    remedy:
      `Set ${prefix}_ACCESS_KEY_ID and ${prefix}_SECRET_ACCESS_KEY in the environment, name a profile of ~/.aws with ` +
      `--${side}-profile, or name other variables with --${side}-env.`,
  });
}

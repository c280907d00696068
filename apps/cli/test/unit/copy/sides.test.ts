import { describe, expect, it } from 'vitest';
import { awsProfile } from '../../../src/copy/aws-profile.ts';
import { resolveSides, type SideFlags, type SideSettings } from '../../../src/copy/sides.ts';

const credentials = `
[default]
aws_access_key_id = DEFAULTKEY
aws_secret_access_key = default/secret=with+signs

# a comment
[old]
aws_access_key_id=OLDKEY
aws_secret_access_key=oldsecret
aws_session_token=oldtoken
[half]
aws_access_key_id = HALFKEY
`;
const config = `
[default]
region = eu-west-1
[profile old]
region=us-west-2
endpoint_url = https://old.example.net
s3 =
  addressing_style = virtual
  max_concurrent_requests = 20
[profile nested]
s3 =
    endpoint_url = https://nested.example.net
[profile role]
role_arn = arn:aws:iam::1:role/x
source_profile = default
`;

function resolved(
  flags: { source?: SideFlags; target?: SideFlags },
  environment: Record<string, string> = {},
  files = { credentials, config },
): Record<'source' | 'target', SideSettings> {
  const profile = (name: string) => awsProfile(name, files);
  return resolveSides({ source: flags.source ?? {}, target: flags.target ?? {} }, { environment, profile });
}

const nothing = { credentials: '', config: '' };

function code(expected: string): unknown {
  return expect.objectContaining({ code: expected, exitCode: 2 });
}

describe('profiles of the AWS command line', () => {
  it('join both files, and read settings below "s3"', () => {
    const files = { credentials, config };
    expect(awsProfile('old', files)).toEqual({
      accessKeyId: 'OLDKEY',
      secretAccessKey: 'oldsecret',
      sessionToken: 'oldtoken',
      region: 'us-west-2',
      endpointUrl: 'https://old.example.net',
      addressing: 'virtual',
    });
    expect(awsProfile('default', files)).toMatchObject({
      secretAccessKey: 'default/secret=with+signs',
      region: 'eu-west-1',
    });
    expect(awsProfile('nested', files)).toEqual({ endpointUrl: 'https://nested.example.net' });
    expect(awsProfile('absent', files)).toBeNull();
  });
});

describe('where a side is, and as whom it is spoken to', () => {
  it('is what its own flags say, before its variables, before its profile', () => {
    const environment = {
      WEIR_SOURCE_URL: 'http://variable',
      WEIR_SOURCE_ACCESS_KEY_ID: 'V',
      WEIR_SOURCE_SECRET_ACCESS_KEY: 'v',
    };
    const { source } = resolved({ source: { profile: 'old', region: 'flag-1' } }, environment);
    expect(source).toEqual({
      url: 'http://variable',
      region: 'flag-1',
      pathStyle: false,
      credentials: { accessKeyId: 'V', secretAccessKey: 'v' },
    });
    const flags = { url: 'http://flag', accessKey: 'F', secretKey: 'f', addressing: 'path' } as const;
    expect(resolved({ source: flags }, environment).source).toMatchObject({
      url: 'http://flag',
      pathStyle: true,
      credentials: { accessKeyId: 'F', secretAccessKey: 'f' },
    });
  });

  it('never joins the key of one place with the secret or the token of another', () => {
    const environment = {
      WEIR_SOURCE_ACCESS_KEY_ID: 'V',
      WEIR_SOURCE_SECRET_ACCESS_KEY: 'v',
      AWS_SESSION_TOKEN: 'foreign',
    };
    expect(resolved({}, environment).source.credentials).toEqual({ accessKeyId: 'V', secretAccessKey: 'v' });
    expect(() => resolved({}, { WEIR_SOURCE_ACCESS_KEY_ID: 'V' })).toThrow('no secret key for the source');
    expect(() => resolved({ source: { profile: 'half' } })).toThrow('no secret key');
  });

  it('is in the source store when nothing is said about the target', () => {
    const both = resolved({ source: { profile: 'old' } });
    expect(both.target).toEqual(both.source);
    expect(both.source.credentials).toEqual({
      accessKeyId: 'OLDKEY',
      secretAccessKey: 'oldsecret',
      sessionToken: 'oldtoken',
    });
    const apart = resolved({ source: { profile: 'old' }, target: { url: 'http://new' } });
    expect(apart.target).toMatchObject({ url: 'http://new', credentials: { accessKeyId: 'DEFAULTKEY' } });
    expect(resolved({ source: { profile: 'old' } }, { WEIR_TARGET_REGION: 'r' }).target.region).toBe('r');
  });

  it('falls back to what every AWS tool reads, and to virtual addressing only at AWS', () => {
    const environment = {
      AWS_ACCESS_KEY_ID: 'A',
      AWS_SECRET_ACCESS_KEY: 'a',
      AWS_SESSION_TOKEN: 't',
      AWS_REGION: 'ap-south-1',
    };
    expect(resolved({}, environment, nothing).source).toEqual({
      url: 'https://s3.ap-south-1.amazonaws.com',
      region: 'ap-south-1',
      pathStyle: false,
      credentials: { accessKeyId: 'A', secretAccessKey: 'a', sessionToken: 't' },
    });
    const own = { ...environment, AWS_ENDPOINT_URL: 'http://127.0.0.1:9000' };
    expect(resolved({}, own, nothing).source).toMatchObject({ url: 'http://127.0.0.1:9000', pathStyle: true });
    expect(
      resolved({ source: { env: 'MY' } }, { MY_ACCESS_KEY_ID: 'M', MY_SECRET_ACCESS_KEY: 'm' }).source,
    ).toMatchObject({
      credentials: { accessKeyId: 'M', secretAccessKey: 'm' },
    });
  });

  it('does not mix a named profile with credentials of the environment', () => {
    const environment = { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'a' };
    expect(resolved({ source: { profile: 'old' } }, environment).source.credentials.accessKeyId).toBe('OLDKEY');
    expect(() => resolved({ source: { profile: 'nested' } }, environment)).toThrow(
      'there are no credentials for the source',
    );
  });

  it('names what is wrong, and what to do', () => {
    expect(() => resolved({ source: { profile: 'absent' } })).toThrow(code('profile-unknown'));
    expect(() => resolved({ source: { profile: 'role' } })).toThrow(code('profile-indirect'));
    expect(() => resolved({}, {}, nothing)).toThrow(code('credentials-missing'));
    for (const url of ['ftp://x', 'x', 'http://key:secret@x']) {
      expect(() => resolved({ source: { url } })).toThrow(code('url-invalid'));
    }
  });
});

/** What a profile of the AWS command line says about an S3 store. Absent: it says nothing. */
export interface AwsProfile {
  accessKeyId?: string;
  secretAccessKey?: string;
  sessionToken?: string;
  region?: string;
  endpointUrl?: string;
  /** `path` or `virtual`. */
  addressing?: string;
  /** A setting that gets credentials in a way that only AWS's own tools know. */
  indirect?: string;
}

const INDIRECT = ['role_arn', 'sso_session', 'sso_start_url', 'credential_process', 'web_identity_token_file'];

/**
 * A profile out of the texts of `~/.aws/credentials` and `~/.aws/config`; null when neither has it. The first wins, as
 * for the AWS command line.
 */
export function awsProfile(name: string, texts: { credentials: string; config: string }): AwsProfile | null {
  const own = sectionsOf(texts.credentials).get(name);
  const config = sectionsOf(texts.config).get(name === 'default' ? name : `profile ${name}`);
  if (own === undefined && config === undefined) return null;
  const value = (key: string): string | undefined => own?.get(key) ?? config?.get(key);
  const found: Record<keyof AwsProfile, string | undefined> = {
    accessKeyId: value('aws_access_key_id'),
    secretAccessKey: value('aws_secret_access_key'),
    sessionToken: value('aws_session_token'),
    region: value('region'),
    endpointUrl: value('s3.endpoint_url') ?? value('endpoint_url'),
    addressing: value('s3.addressing_style'),
    indirect: INDIRECT.find((key) => value(key) !== undefined),
  };
  return Object.fromEntries(Object.entries(found).filter(([, text]) => text !== undefined));
}

/** Sections of an AWS file; a setting below another one, indented, is `outer.inner`. */
function sectionsOf(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | null = null;
  let outer = '';
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*([#;]|$)/.test(line)) continue;
    const title = /^\[\s*([^\]]*?)\s*\]/.exec(line)?.[1];
    if (title !== undefined) {
      const name = title.replaceAll(/\s+/g, ' ').replaceAll('"', '');
      section = sections.get(name) ?? new Map<string, string>();
      sections.set(name, section);
      continue;
    }
    const [, indent = '', key = '', value = ''] = /^(\s*)([^=\s]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === '' || section === null) continue;
    if (indent === '') outer = value === '' ? `${key}.` : '';
    const name = indent === '' ? key : `${outer}${key}`;
    if (value !== '') section.set(name, value);
  }
  return sections;
}

import { Option } from 'commander';

/** A way in which options are given: a flag, a variable of the environment, or both. */
interface Ways {
  readonly flag?: string;
  readonly variable?: string;
}

/** The flag of an option, as commander wants it; its variable is told with it. @param value such as `<url>` */
export function flagOf(
  { flag, variable }: { readonly flag: string; readonly variable?: string },
  value: string,
  text: string,
): Option {
  return new Option(`${flag} ${value}`, variable === undefined ? text : `${text} (or ${variable})`);
}

/** What was given for the options of a table: by its flag, else by its variable. What neither gives is left out. */
export function givenOptions<Option extends string>(
  table: Readonly<Record<Option, Ways>>,
  flags: object,
  environment: Readonly<Record<string, string | undefined>>,
): Partial<Record<Option, unknown>> {
  const given: Partial<Record<Option, unknown>> = {};
  for (const [option, { flag, variable }] of entriesOf(table)) {
    const byFlag: unknown = flag === undefined ? undefined : Reflect.get(flags, attributeOf(flag));
    const value = byFlag ?? (variable === undefined ? undefined : environment[variable]);
    if (value !== undefined) given[option] = value;
  }
  return given;
}

function entriesOf<Option extends string>(table: Readonly<Record<Option, Ways>>): [Option, Ways][] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a table are its options
  return Object.entries<Ways>(table) as [Option, Ways][];
}

/** Where commander puts what a flag gives: `--tls-cert` becomes `tlsCert`. */
function attributeOf(flag: string): string {
  return flag.replace(/^--/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

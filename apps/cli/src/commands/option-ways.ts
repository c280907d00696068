import { Option } from 'commander';
import { OPTION_WAYS } from '@weir/console/options';

/** A way in which options are given: a flag, a variable of the environment, or both. */
interface Ways {
  readonly flag?: string;
  readonly variable?: string;
}

/**
 * The flag of an option, as commander wants it; its variable is told with it.
 * @param value such as `<url>`
 * @param otherwise what holds where neither is given; applied by whoever takes the option
 */
export function flagOf(
  { flag, variable }: { readonly flag: string; readonly variable?: string },
  value: string,
  text: string,
  otherwise?: string | number,
): Option {
  const told = variable === undefined ? text : `${text} (or ${variable})`;
  return optionTelling(`${flag} ${value}`, told, otherwise);
}

/** An option whose help tells a default that is applied elsewhere. */
export function optionTelling(flags: string, text: string, otherwise: string | number | undefined): Option {
  const option = new Option(flags, text);
  // Given nothing, it is given nothing: a flag's default would go before the variable.
  return otherwise === undefined ? option : option.default(undefined, String(otherwise));
}

/** What the help says of an option: whether it must be given, and its default unless that is the absence of anything. */
export function describedOption({ description, mandatory, defaultValue, defaultValueDescription }: Option): string {
  if (mandatory) return `${description} (required)`;
  const fallback: unknown = defaultValueDescription ?? defaultValue;
  const absent = fallback === undefined || fallback === false || (Array.isArray(fallback) && fallback.length === 0);
  return absent
    ? description
    : `${description} (default: ${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)})`;
}

/** The data directory of a console, for every command that works on one. */
export function dataDirFlag(text: string): Option {
  return flagOf(OPTION_WAYS.dataDir, '<folder>', text).default('./weir-console');
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

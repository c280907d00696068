import { createHash } from 'node:crypto';
import type { RedisCommands } from '../redis-commands.ts';
import { replyCode } from '../reply-errors.ts';
import { SCRIPT_TEXTS } from './texts.ts';

/** The scripts of this driver, by file name. */
export type ScriptName = keyof typeof SCRIPT_TEXTS;

/** A script as Redis knows it. */
export interface Script {
  readonly text: string;
  /** SHA-1 of the text, in hex: what EVALSHA takes. */
  readonly sha: string;
}

/** Text and hash of every script. */
export const scripts: Readonly<Record<ScriptName, Script>> = {
  take: script('take'),
  redraw: script('redraw'),
  'take-alike': script('take-alike'),
  'take-all': script('take-all'),
  'give-back': script('give-back'),
  swap: script('swap'),
  date: script('date'),
};

function script(name: ScriptName): Script {
  const text = SCRIPT_TEXTS[name];
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/**
 * Runs a script by its hash. A server that does not know it (restarted, failed over, SCRIPT FLUSH) did nothing, so the text
 * is sent then, once, and the server knows it again.
 * @param keys at least one; in a cluster all of one slot.
 */
export async function runScript(
  commands: RedisCommands,
  { text, sha }: Script,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const rest = [String(keys.length), ...keys, ...args];
  try {
    return await commands.send(['EVALSHA', sha, ...rest], keys[0]);
  } catch (error) {
    if (replyCode(error) !== 'NOSCRIPT') throw error;
    return commands.send(['EVAL', text, ...rest], keys[0]);
  }
}

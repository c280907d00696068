import { ALARM_RULES } from '@weir/governor';
import type { RememberedRule } from '../fleet/alarm-board.ts';
import type { Stores } from '../ports/storage.ts';

/** What every alarm rule remembered when the console stopped. */
export async function rememberedRules(stores: Pick<Stores, 'settings'>): Promise<RememberedRule[]> {
  const texts = await Promise.all(ALARM_RULES.map(({ code }) => stores.settings.state(nameOf(code))));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by saveRule only
  return texts.flatMap((text) => (text === undefined ? [] : [JSON.parse(text) as RememberedRule]));
}

/** Writes down what a rule remembers. */
export async function saveRule(stores: Pick<Stores, 'settings'>, rule: RememberedRule): Promise<void> {
  await stores.settings.saveState(nameOf(rule.code), JSON.stringify(rule));
}

function nameOf(code: string): string {
  return `alarm:${code}`;
}

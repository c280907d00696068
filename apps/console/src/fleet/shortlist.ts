import { Busiest } from './busiest.ts';
import type { LiveAgent } from './live-agent.ts';

/** Agents to list: all of them in the order in which they were added, or the weightiest where they are more than wanted. */
export class Shortlist {
  readonly #most: number;
  readonly #first: LiveAgent[] = [];
  readonly #weightiest: Busiest<LiveAgent>;
  /** How many were added. */
  matching = 0;

  /** @param most agents at most, ≥ 1 */
  constructor(most: number) {
    this.#most = most;
    this.#weightiest = new Busiest(most);
  }

  add(agent: LiveAgent, weight: number): void {
    this.matching += 1;
    if (this.matching <= this.#most) this.#first.push(agent);
    this.#weightiest.add(agent, weight);
  }

  /** Of equal weight those that were added first. */
  get agents(): readonly LiveAgent[] {
    return this.matching <= this.#most ? this.#first : this.#weightiest.list;
  }
}

/** Whether a text contains what is looked for, whatever its case. @param part empty or undefined: every text does */
export function contains(part = ''): (text: string) => boolean {
  const wanted = part.trim().toLocaleLowerCase();
  return wanted === '' ? () => true : (text) => text.toLocaleLowerCase().includes(wanted);
}

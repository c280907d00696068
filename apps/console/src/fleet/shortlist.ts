import { Busiest } from './busiest.ts';
import type { LiveAgent } from './live-agent.ts';

/**
 * Agents to list: all of them in the order in which they were added, or the weightiest where they are more than wanted. Those
 * that are added apart have no weight, and are wanted all the same: half of the list is theirs, and what the others leave.
 */
export class Shortlist {
  readonly #most: number;
  readonly #first: LiveAgent[] = [];
  readonly #weightiest: Busiest<LiveAgent>;
  readonly #apart: LiveAgent[] = [];
  /** How many were added. */
  matching = 0;

  /** @param most agents at most, ≥ 1 */
  constructor(most: number) {
    this.#most = most;
    this.#weightiest = new Busiest(most);
  }

  add(agent: LiveAgent, weight: number): void {
    this.#count(agent);
    this.#weightiest.add(agent, weight);
  }

  addApart(agent: LiveAgent): void {
    this.#count(agent);
    if (this.#apart.length < this.#most) this.#apart.push(agent);
  }

  #count(agent: LiveAgent): void {
    this.matching += 1;
    if (this.matching <= this.#most) this.#first.push(agent);
  }

  /** Of equal weight those that were added first; those that were added apart at the end. */
  get agents(): readonly LiveAgent[] {
    if (this.matching <= this.#most) return this.#first;
    const weightiest = this.#weightiest.list;
    const room = Math.max(Math.floor(this.#most / 2), this.#most - weightiest.length);
    const apart = this.#apart.slice(0, room);
    return [...weightiest.slice(0, this.#most - apart.length), ...apart];
  }
}

/** Whether a text contains what is looked for, whatever its case. @param part empty or undefined: every text does */
export function contains(part = ''): (text: string) => boolean {
  const wanted = part.trim().toLocaleLowerCase();
  return wanted === '' ? () => true : (text) => text.toLocaleLowerCase().includes(wanted);
}

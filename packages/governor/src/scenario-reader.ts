/** One thing that is wrong with a scenario. */
export interface ScenarioProblem {
  /** Path of the field, such as `agents[2].demandTps`; empty for the whole. */
  field: string;
  /** What was there, as JSON, shortened; `missing` when nothing was. */
  value: string;
  /** What is wrong and what to write instead. */
  problem: string;
}

/** Highest global limit, in TPS: credits stay exact integers. */
export const MAX_TPS = 1_000_000_000;
export const MAX_WINDOWS = 100_000;

/** What a number must be. */
export interface NumberRule {
  min: number;
  max: number;
  whole?: boolean;
  /** For a missing field; without it the field must be there. */
  orElse?: number | null;
}

/** Reads fields of unknown values and collects what is wrong with them. */
export class ScenarioReader {
  readonly problems: ScenarioProblem[] = [];

  refuse(field: string, value: unknown, problem: string): void {
    const json = JSON.stringify(value) ?? 'missing';
    this.problems.push({ field, value: json.length > 80 ? `${json.slice(0, 79)}…` : json, problem });
  }

  object(field: string, value: unknown, known: readonly string[]): Record<string, unknown> | null {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.refuse(field, value, `must be an object with ${known.join(', ')}`);
      return null;
    }
    const fields: Record<string, unknown> = { ...value };
    for (const name of Object.keys(fields)) {
      if (known.includes(name)) continue;
      this.refuse(field === '' ? name : `${field}.${name}`, fields[name], `is unknown; known are ${known.join(', ')}`);
    }
    return fields;
  }

  /** A list of at most `most` entries; a missing one is empty. */
  list(field: string, value: unknown, most: number): unknown[] {
    if (value === undefined) return [];
    if (Array.isArray(value) && value.length <= most) return value;
    this.refuse(field, value, `must be a list of at most ${most}`);
    return [];
  }

  number(field: string, value: unknown, rule: NumberRule): number | null {
    if (value === undefined && rule.orElse !== undefined) return rule.orElse;
    const fits =
      typeof value === 'number' &&
      value >= rule.min &&
      value <= rule.max &&
      (rule.whole !== true || Number.isInteger(value));
    if (fits) return value;
    const kind = rule.whole === true ? 'whole number' : 'number';
    this.refuse(field, value, `must be a ${kind} from ${rule.min} to ${rule.max}`);
    return null;
  }
}

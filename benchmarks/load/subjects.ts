/** Subjects of one length, so that every limiter's keys differ by their own part only. */
export function subject(index: number): string {
  return `tenant-${String(index).padStart(6, '0')}`;
}

/** Park and Miller's generator: the same sequence in each run. */
function* pseudoRandom(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 48_271) % 2_147_483_647;
    yield state / 2_147_483_647;
  }
}

/** A workload: which subjects are taken from, in order. */
export interface Workload {
  readonly name: string;
  readonly subjects: readonly string[];
}

/** Long enough to be no pattern, and short enough that what is measured is not the reading of this list. */
const ORDERED = 8_192;

/** `count` subjects in uniformly random order, as requests of many tenants come. */
export function manySubjects(count: number): Workload {
  const random = pseudoRandom(20_261_130);
  return {
    name: `${count.toLocaleString('en')} keys`,
    subjects: Array.from({ length: Math.max(ORDERED, count * 2) }, () =>
      subject(Math.floor(random.next().value * count)),
    ),
  };
}

export const hotSubject: Workload = { name: 'one hot key', subjects: [subject(0)] };

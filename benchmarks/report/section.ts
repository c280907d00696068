/** What a suite found. */
export interface Section {
  readonly title: string;
  /** Markdown: tables and what must be said about them. */
  readonly text: string;
  readonly targets: readonly Target[];
}

/** One target of the project, and whether it was met. */
export interface Target {
  readonly text: string;
  readonly wanted: string;
  readonly measured: string;
  readonly met: boolean;
}

/** How long to measure. */
export interface Pace {
  readonly rounds: number;
  /** Length of one piece of work, in ms. */
  readonly sliceMs: number;
}

/** Where a suite says what it does. */
export interface Steps {
  readonly stage: (name: string) => void;
  readonly step: (text: string) => void;
}

/** One part of the benchmarks. */
export type Suite = (pace: Pace, progress: Steps) => Promise<Section>;

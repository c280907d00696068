/**
 * Version of the wire, with what each one brought in docs/protocol.md. Agents send it in every heartbeat, consoles in every
 * answer to one: whoever is newer speaks the version of the other. The console lists other versions in amber.
 */
export const PROTOCOL_VERSION = 2;

/** Oldest version of agents that a console understands, and of consoles that an agent does: the one before. */
export const OLDEST_PROTOCOL_VERSION = 1;

/** Addresses of consoles of one group that an agent knows at most. */
export const MAX_CONSOLE_ADDRESSES = 16;

/** Length of a credit window and of the heartbeat cycle, in seconds, when the console is not told otherwise. */
export const DEFAULT_WINDOW_SECONDS = 30;

/** An agent is online (and may be active) while its last heartbeat is at most this many windows old: 90 s by default. */
export const ONLINE_WINDOWS = 3;

/** Lowest global limit that the coordinator enforces, in TPS. */
export const MIN_GLOBAL_LIMIT_TPS = 100;

/** Highest global limit accepted, in TPS: far above any cluster, low enough that credits stay exact integers. */
export const MAX_GLOBAL_LIMIT_TPS = 1_000_000_000;

/** Points of the monitor's chart: 60 windows, 30 minutes by default. */
export const MONITOR_POINTS = 60;

/** Rows of agents that one answer of the monitor lists at most: a page with more helps nobody, and it costs 0.5 kB a row. */
export const MAX_MONITOR_ROWS = 2_000;

/** Agents that one answer lists at most, for the same reason: 0.35 kB each. */
export const MAX_LISTED_AGENTS = 2_000;

/** Longest text that agents are looked for by, in characters: a whole host name. */
export const MAX_SEARCH_CHARACTERS = 255;

/** Agents with a column of their own in the chart's data; what others do is in the total. */
export const MAX_SERIES_AGENTS = 500;

/** Longest request body that the console reads, in bytes. A progress report with a full list of failures is the largest. */
export const MAX_BODY_BYTES = 1_048_576;

/** Failures carried by one progress report; the agent sends the rest with the next ones. */
export const MAX_FAILURES_PER_REPORT = 200;

/** Failures kept per job with key and reason; beyond it they are only counted. */
export const MAX_FAILURES_PER_JOB = 10_000;

/** Key ranges that one job may be split into. */
export const MAX_SHARDS_PER_JOB = 1_024;

/** Longest time that a claim may wait at the console for work, in seconds (a long poll; below common proxy time-outs). */
export const MAX_CLAIM_WAIT_SECONDS = 25;

/** An S3 key has at most this many bytes in UTF-8. */
export const MAX_KEY_BYTES = 1_024;

/** Patterns of one kind in a filter, and the length of each in characters. */
export const MAX_FILTER_PATTERNS = 100;
export const MAX_PATTERN_CHARACTERS = 1_024;

/** Multipart from 128 MiB in parts of 8 MiB, when a job is not told otherwise. */
export const DEFAULT_MULTIPART_THRESHOLD_BYTES: number = 128 * 1_024 ** 2;
export const DEFAULT_PART_BYTES: number = 8 * 1_024 ** 2;

/** Objects of a dry run that one report carries, and that are kept per job as a sample. */
export const MAX_PLANNED_PER_REPORT = 100;
export const MAX_PLANNED_PER_JOB = 500;

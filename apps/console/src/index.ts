export { startConsole } from './main.ts';
export type { ConsoleDependencies, RunningConsole } from './main.ts';
export { InvalidConsoleOptions, parseConsoleOptions } from './config/console-options.ts';
export type { AccountOption, ConsoleOptions, ConsoleOptionsInput } from './config/console-options.ts';
export { UnusableDatabase } from './ports/unusable-database.ts';
export type { Clock, Timer } from './ports/clock.ts';
export type { EndpointProbe, ProbeRefusal, ProbeTarget } from './ports/endpoint-probe.ts';
export type { NameResolver } from './ports/name-resolver.ts';

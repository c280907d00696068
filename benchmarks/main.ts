/*
 * The benchmarks: all suites, or those that are named.
 *
 *   npm run bench                       everything; writes benchmarks/RESULTS.md
 *   npm run bench -- quota memory       these suites; their sections of RESULTS.md are written anew
 *   npm run bench -- --quick [suite …]  short runs, to see that they work; their figures mean little
 */
import { consoleSuite } from './console/suite.ts';
import { copySuite } from './copy/suite.ts';
import { governorSuite } from './governor/suite.ts';
import { leasesSuite } from './leases/suite.ts';
import { memcachedSuite } from './memcached/suite.ts';
import { MEASURE } from './load/measuring-process.ts';
import { beMemoryLimiter, MEMORY_LIMITER } from './memory/limiter-process.ts';
import { memorySuite } from './memory/suite.ts';
import { beLimiter, REDIS_LIMITER } from './redis/limiter-process.ts';
import { quotaSuite } from './redis/suite.ts';
import { Progress } from './report/progress.ts';
import { sectionText, targetLines } from './report/page.ts';
import { keepResult, writePage } from './report/results.ts';
import type { Pace, Section, Suite } from './report/section.ts';

const suites: Readonly<Record<string, Suite>> = {
  quota: quotaSuite,
  leases: leasesSuite,
  memory: memorySuite,
  memcached: memcachedSuite,
  governor: governorSuite,
  console: consoleSuite,
  copy: copySuite,
};

const FULL: Pace = { rounds: 5, sliceMs: 350 };
const QUICK: Pace = { rounds: 2, sliceMs: 60 };

const words = process.argv.slice(2);

/** What runs in the processes that the suites start, by the word that they pass. */
const roles: Readonly<Record<string, (args: readonly string[]) => unknown>> = {
  [REDIS_LIMITER]: beLimiter,
  [MEMORY_LIMITER]: beMemoryLimiter,
};

async function runSuites(): Promise<void> {
  const quick = words.includes('--quick');
  const named = words.filter((word) => word !== '--quick');
  const unknown = named.filter((word) => !Object.hasOwn(suites, word));
  if (unknown.length > 0) {
    process.stderr.write(`There is no suite ${unknown.join(', ')}. There are: ${Object.keys(suites).join(', ')}.\n`);
    process.exit(2);
  }

  const startedMs = performance.now();
  const progress = new Progress();
  const sections: Section[] = [];
  for (const [name, suite] of Object.entries(suites)) {
    if (named.length > 0 && !named.includes(name)) continue;
    const suiteStartedMs = performance.now();
    const section = await suite(quick ? QUICK : FULL, progress);
    progress.done();
    if (!quick) keepResult(name, section, new Date(), (performance.now() - suiteStartedMs) / 60_000);
    sections.push(section);
    process.stdout.write(`\n${sectionText(section)}\n`);
  }
  const minutes = (performance.now() - startedMs) / 60_000;
  process.stdout.write(`\n${targetLines(sections)}\n\n${minutes.toFixed(1)} minutes\n`);
  if (!quick) {
    writePage(Object.keys(suites));
    process.stdout.write('Written to benchmarks/RESULTS.md\n');
  }
}

if (words[0] === MEASURE) await roles[words[1] ?? '']?.(words.slice(2));
else await runSuites();

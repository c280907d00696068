import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { usageOf } from './flags.ts';
import { CHAOS_RANGES, SOAK_RANGES } from './ranges.ts';

test.each(['chaos', 'soak', 'bench'])('%s --help is immediate: nothing is installed or built before it', (name) => {
  const script = fileURLToPath(new URL(`../../scripts/${name}.mjs`, import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [script, '--help'], { encoding: 'utf8', timeout: 5_000 });
  expect(status).toBe(0);
  expect(stdout).toMatch(new RegExp(`^npm run ${name}`));
  expect(stdout).not.toContain('Building');
});

test.each([
  ['chaos', CHAOS_RANGES],
  ['soak', SOAK_RANGES],
] as const)('the usage of %s tells each number that it takes, with the default that is applied', (script, ranges) => {
  const lines = usageOf(script).split('\n');
  for (const [name, [fallback]] of Object.entries<readonly [number, number, number]>(ranges)) {
    const line = lines.find((each) => each.startsWith(`  --${name} N `)) ?? '';
    // Those that are not fixed say how they come about.
    const told = { seed: 'random', 'sample-seconds': '60; 20 below 20 minutes' }[name] ?? String(fallback);
    expect(line).toContain(`(${told})`);
  }
});

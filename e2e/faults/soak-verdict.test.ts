import { expect, test } from 'vitest';
import { seededRandom } from '@weir/testkit/network';
import { rssImage, rssText } from './soak-picture.ts';
import type { SoakSample } from './soak-samples.ts';
import { judgeSoak } from './soak-verdict.ts';

/** A soak of half an hour: one look a minute. */
function soakOf(
  change: (minute: number) => { rssMiB?: number; handles?: number; more?: Partial<SoakSample> },
): SoakSample[] {
  return Array.from({ length: 30 }, (_, minute) => {
    const { rssMiB = 150, handles = 30, more = {} } = change(minute);
    return {
      atSeconds: minute * 60,
      processes: [{ name: 'console', pid: 1, rssMiB, handles }],
      keys: 5,
      undatedKeys: 0,
      rows: {},
      windows: minute * 600,
      windowsAboveBudget: 0,
      jobsEnded: minute + 1,
      jobsNotComplete: 0,
      ...more,
    };
  });
}

const failing = (samples: SoakSample[]): string[] =>
  judgeSoak(samples, ['console']).flatMap(({ ok, what }) => (ok ? [] : [what]));

test('memory that climbs until the collector works is flat; warm-up counts for nothing', () => {
  const random = seededRandom(5);
  const wandering = soakOf((minute) => {
    const warmUp = minute < 8 ? minute * 8 : 64;
    return { rssMiB: 100 + warmUp + (minute % 5) * 15 + random() * 4 };
  });
  expect(failing(wandering)).toEqual([]);
});

test('memory that stands and was given back once is flat, whenever that was', () => {
  for (const dip of [9, 16, 25]) {
    const standing = soakOf((minute) => ({ rssMiB: minute === dip ? 181 : 232 + (minute % 7) }));
    expect(failing(standing)).toEqual([]);
  }
});

test('2 kB that each of 10 heartbeats a second leaves behind is found in half an hour, whatever the collector does', () => {
  const random = seededRandom(6);
  const leaking = soakOf((minute) => ({ rssMiB: 150 + (minute * 1_200) / 1_024 + (minute % 5) * 15 + random() * 4 }));
  expect(failing(leaking)).toEqual(['growth of console']);
});

test('a leaked handle a minute, one undated key at any time, one window above its budget and one failed job are each found', () => {
  expect(failing(soakOf((minute) => ({ handles: 30 + minute * 2 })))).toEqual(['handles of console (before: 68)']);
  const undated = soakOf((minute) => ({ more: { undatedKeys: minute === 3 ? 1 : 0 } }));
  expect(failing(undated)).toEqual(['keys in Redis without a deadline, at any sample']);
  expect(failing(soakOf(() => ({ more: { windowsAboveBudget: 1 } })))).toEqual(['windows above their budget']);
  expect(failing(soakOf(() => ({ more: { jobsNotComplete: 1 } })))).toEqual([
    'jobs that ended otherwise than complete',
  ]);
});

test('a soak that was too short to tell says so', () => {
  expect(failing(soakOf(() => ({})).slice(0, 6))).toEqual(['samples after the warm-up']);
});

test('the pictures show every process', () => {
  const samples = soakOf((minute) => ({ rssMiB: 100 + minute }));
  expect(rssText(samples)).toMatch(/^console [▁▂▃▄▅▆▇█]{30} 100–129 MiB$/);
  expect(rssImage(samples)).toContain('>console</text>');
});

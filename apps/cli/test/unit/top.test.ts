import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { monitorOf } from '../../../web/test/fixture/fleet.ts';
import { readPassword } from '../../src/top/password.ts';
import { cellsOf, fit } from '../../src/top/text-cells.ts';
import { pageOf, renderTop, type TopPicture } from '../../src/top/top-screen.ts';
import { clampOffset, pressKey, SORT_KEYS, sortRows, splitKeys, type TopState } from '../../src/top/top-state.ts';

const NOW = 1_800_000_000_000;
const view = monitorOf(
  [
    { name: 'copy-fra-1', allocatedTps: 3_910, actualTps: 3_519, mbps: 1_912.4 },
    { name: 'copy-fra-2', allocatedTps: 164, actualTps: 492, mbps: 231.7 },
    { name: 'copy-ams-1', allocatedTps: 5_926, actualTps: 3_821, mbps: 2_004.1 },
    { name: 'copy-ams-2', allocatedTps: 1_200, actualTps: 0, status: 'idle', holdoffMs: 102_000 },
    { name: 'copy-old-1', allocatedTps: 0, actualTps: 0, throttled: false },
  ],
  { nowMs: NOW, globalLimitTps: 10_000 },
);

function picture(over: Partial<TopPicture> = {}): TopPicture {
  return {
    view,
    consoleUrl: 'http://127.0.0.1:8180',
    state: { sort: 'name', offset: 0 },
    columns: 100,
    lines: null,
    colours: false,
    latencyMs: 12,
    nowMs: NOW,
    nextAtMs: NOW + 21_000,
    problem: null,
    ...over,
  };
}

describe('the picture of the monitor', () => {
  it('has the totals, every agent, and the row of the console last', () => {
    const text = renderTop(picture()).join('\n');
    expect(text).toContain('12 ms · next in 21 s');
    expect(text).toContain('Total        7,832 / 10,000 TPS');
    expect(text).toContain('Utilization  78.3 %');
    expect(text).toContain('Agents       4 running / 5 registered, and the console · 4148.2 Mbps');
    expect(text).toMatch(/copy-ams-1 +Running +5,926 +3,821 +64\.5 % +2004\.1/);
    expect(text).toMatch(/copy-fra-2 +Running +164 +492 +300\.0 % +231\.7/);
    expect(text).toMatch(/copy-ams-2 +Holdoff 102 s +1,200/);
    expect(text).toMatch(/copy-old-1 +Unthrottled/);
    expect(renderTop(picture()).at(-1)).toMatch(/^\(console\) +Idle +0 +0 +- +0\.0$/);
  });

  it('tells of every row below: agents of a large fleet that are left out are counted, the console is none of them', () => {
    const large = { ...view, registeredAgents: 12_000, rows: view.rows.slice(-3) };
    const text = renderTop(picture({ view: large })).join('\n');
    expect(text).toContain('/ 12,000 registered, 2 listed below, and the console');
  });

  it('is coloured as the page is: green below 80, amber to 95, red above; and not at all when nobody wants colours', () => {
    for (const [utilizationPercent, code] of [
      [79.9, '32'],
      [80, '33'],
      [95, '33'],
      [95.1, '31'],
    ] as const) {
      const lines = renderTop(picture({ colours: true, view: { ...view, utilizationPercent } }));
      expect(lines.find((line) => line.includes('Utilization'))).toContain(`\u001b[${code}mUtilization`);
    }
    expect(renderTop(picture()).join('\n')).not.toContain('\u001b');
  });

  it('fits every terminal: no line is longer than it is wide, and there are no more lines than it has', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 8, max: 240 }),
        fc.integer({ min: 10, max: 80 }),
        fc.nat(50),
        fc.constantFrom(...SORT_KEYS),
        (columns, lines, offset, sort) => {
          const drawn = renderTop(picture({ columns, lines, state: { sort, offset } }));
          expect(Math.max(...drawn.map(cellsOf))).toBeLessThanOrEqual(columns);
          expect(drawn.length).toBeLessThanOrEqual(lines);
        },
      ),
    );
  });

  it('says what is wrong while the console does not answer, and that the limiter is off', () => {
    const silent = renderTop(picture({ problem: 'The console does not answer.' })).join('\n');
    expect(silent).toContain('no answer');
    expect(silent).toContain('The console does not answer. The figures below are of the last answer.');
    const off = renderTop(picture({ view: { ...view, limiterEnabled: false } })).join('\n');
    expect(off).toContain('TPS rate limiting is off');
    expect(off).not.toContain('Utilization');
  });

  it('shows an active alarm above the table', () => {
    const [alarm] = view.activeAlarms;
    expect(alarm).toBeUndefined();
    const activeAlarms = [
      {
        alarmId: 'a',
        code: 'CV-TPS-001',
        severity: 'WARNING' as const,
        title: 'TPS Limit Utilization High',
        raisedAtMs: NOW,
        lastFiredAtMs: NOW,
        firings: 1,
        peakValue: 98.7,
        threshold: 95,
        endedAtMs: null,
        endedBy: null,
        acknowledgedBy: null,
        acknowledgedAtMs: null,
      },
    ];
    const lines = renderTop(picture({ view: { ...view, activeAlarms }, lines: 24 }));
    expect(lines.join('\n')).toContain('! CV-TPS-001 TPS Limit Utilization High, peak 98.7 %');
    expect(lines.length).toBeLessThanOrEqual(24);
  });
});

describe('text in cells', () => {
  it('is exactly as wide as asked, whatever the name is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 2, max: 30 }), (name, width) => {
        expect(cellsOf(fit(name, width))).toBe(width);
        expect(cellsOf(fit(name, width, 'right'))).toBe(width);
      }),
    );
  });

  it('cannot move the cursor or turn the line around', () => {
    expect(fit('a\u001b[2Jb\u202ec', 10)).toBe('a[2Jbc    ');
  });

  it('counts wide characters twice', () => {
    expect(cellsOf('東京')).toBe(4);
    expect(fit('東京都庁', 5)).toBe('東京…');
  });
});

const names = (sort: TopState['sort']): string[] => sortRows(view.rows, sort).map(({ name }) => name);

describe('keys', () => {
  const start: TopState = { sort: 'name', offset: 0 };

  it('end, refresh, and go through the columns in both directions', () => {
    for (const key of ['q', 'Q', '\u0003', '\u0004']) expect(pressKey(start, key, 10, 5).request).toBe('quit');
    expect(pressKey(start, 'r', 10, 5).request).toBe('refresh');
    let state = start;
    const seen = SORT_KEYS.map(() => ({ state } = pressKey(state, 's', 10, 5)).state.sort);
    expect(seen).toEqual([...SORT_KEYS.slice(1), 'name']);
    expect(pressKey(start, 'S', 10, 5).state.sort).toBe('mbps');
  });

  it('scroll, but never beyond the first or the last row', () => {
    const keys = fc.array(
      fc.constantFrom('\u001b[A', '\u001b[B', '\u001b[5~', '\u001b[6~', '\u001b[H', '\u001b[F', ' ', 'j', 'k', 'x'),
    );
    fc.assert(
      fc.property(keys, fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 40 }), (pressed, agents, page) => {
        let state = start;
        for (const key of pressed) {
          ({ state } = pressKey(state, key, agents, page));
          expect(state.offset).toBeGreaterThanOrEqual(0);
          expect(state.offset).toBeLessThanOrEqual(Math.max(0, agents - page));
        }
      }),
    );
    expect(pressKey(start, '\u001b[F', 50, 20).state.offset).toBe(30);
    expect(clampOffset(99, 10, 20)).toBe(0);
    expect(pageOf(5, 0)).toBe(1);
  });

  it('sort figures from the largest down, and keep the console last', () => {
    expect(names('name').slice(0, 2)).toEqual(['copy-ams-1', 'copy-ams-2']);
    expect(names('actual').slice(0, 3)).toEqual(['copy-ams-1', 'copy-fra-1', 'copy-fra-2']);
    expect(names('efficiency')[0]).toBe('copy-fra-2');
    expect(names('status')[0]).toBe('copy-ams-2');
    for (const sort of SORT_KEYS) expect(names(sort).at(-1)).toBe('console');
  });
});

describe('keys that come together', () => {
  it('are told apart, and an escape sequence stays one key', () => {
    expect(splitKeys('sq\u001b[B\u001b[6~r\u001b')).toEqual(['s', 'q', '\u001b[B', '\u001b[6~', 'r', '\u001b']);
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => splitKeys(text).join('') === text));
  });
});

describe('the password', () => {
  const none = { passwordFile: undefined, environment: {}, ask: null };

  it('comes from the environment, or from the person at the terminal', async () => {
    expect(await readPassword({ ...none, environment: { WEIR_PASSWORD: 'env' } })).toBe('env');
    expect(await readPassword({ ...none, environment: { WEIR_PASSWORD: '' }, ask: async () => 'typed' })).toBe('typed');
  });

  it('that is nowhere, or in a file that cannot be read, is an error that says what to do', async () => {
    await expect(readPassword(none)).rejects.toMatchObject({
      code: 'password-missing',
      remedy: expect.stringContaining('WEIR_PASSWORD'),
    });
    await expect(readPassword({ ...none, passwordFile: '/nowhere/at/all' })).rejects.toMatchObject({
      code: 'file-unreadable',
    });
  });
});

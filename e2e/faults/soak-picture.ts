import type { SoakSample } from './soak-samples.ts';

const WIDTH = 900;
const HEIGHT = 420;
const MARGIN = { left: 60, right: 190, top: 20, bottom: 40 };
const COLOURS = ['#1f5fbf', '#c2410c', '#15803d', '#7e22ce', '#0e7490', '#a16207', '#be123c', '#4b5563'];
const BARS = '▁▂▃▄▅▆▇█';

/** RSS of every process over time, as an SVG image. */
export function rssImage(samples: readonly SoakSample[]): string {
  const names = namesOf(samples);
  const lastSeconds = Math.max(1, samples.at(-1)?.atSeconds ?? 1);
  const mostMiB = niceTop(Math.max(1, ...samples.flatMap(({ processes }) => processes.map(({ rssMiB }) => rssMiB))));
  const x = (seconds: number): number => MARGIN.left + (seconds / lastSeconds) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (mib: number): number => HEIGHT - MARGIN.bottom - (mib / mostMiB) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const lines = names.map((name, n) => {
    const points = series(samples, name).map(
      (point) => `${x(point.atSeconds).toFixed(1)},${y(point.rssMiB).toFixed(1)}`,
    );
    const colour = COLOURS[n % COLOURS.length];
    const label = `<text x="${WIDTH - MARGIN.right + 12}" y="${MARGIN.top + 16 + n * 20}" fill="${colour}">${name}</text>`;
    return `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.join(' ')}"/>${label}`;
  });
  const grid = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const at = y(part * mostMiB).toFixed(1);
    const line = `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${at}" y2="${at}" stroke="#d4d4d8"/>`;
    return `${line}<text x="${MARGIN.left - 8}" y="${at}" text-anchor="end">${Math.round(part * mostMiB)}</text>`;
  });
  const foot = `<text x="${MARGIN.left}" y="${HEIGHT - 12}">RSS in MiB over ${(lastSeconds / 60).toFixed(0)} minutes</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    ...grid,
    ...lines,
    foot,
    '</svg>',
    '',
  ].join('\n');
}

/** The same for a terminal: a line of bars for each process, from 0 to its own highest. */
export function rssText(samples: readonly SoakSample[]): string {
  const names = namesOf(samples);
  const width = Math.max(0, ...names.map((name) => name.length));
  return names
    .map((name) => {
      const values = series(samples, name).map(({ rssMiB }) => rssMiB);
      const most = Math.max(1, ...values);
      const bars = values.map(
        (value) => BARS[Math.min(BARS.length - 1, Math.floor((value / most) * BARS.length))] ?? '',
      );
      return `${name.padEnd(width)} ${bars.join('')} ${Math.min(...values).toFixed(0)}–${most.toFixed(0)} MiB`;
    })
    .join('\n');
}

function namesOf(samples: readonly SoakSample[]): string[] {
  return [...new Set(samples.flatMap(({ processes }) => processes.map(({ name }) => name)))];
}

function series(samples: readonly SoakSample[], name: string): { atSeconds: number; rssMiB: number }[] {
  return samples.flatMap(({ atSeconds, processes }) => {
    const found = processes.find((each) => each.name === name);
    return found === undefined ? [] : [{ atSeconds, rssMiB: found.rssMiB }];
  });
}

/** The next multiple of 100 MiB. */
function niceTop(mib: number): number {
  return Math.ceil(mib / 100) * 100;
}

// Charts as SVG text, without scripts: bars side by side, ranges of percentiles, and lines over time or percentiles. Colours are CSS
// variables of the page, --series-1 and on.

export interface BarGroup {
  readonly label: string;
  /** One a series; null leaves a gap. */
  readonly values: readonly (number | null)[];
}

export interface RangeGroup {
  readonly label: string;
  /** One a series: p50, p99, p99.9. */
  readonly values: readonly (readonly [number, number, number] | null)[];
}

export interface Line {
  readonly series: number;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface LineOptions {
  readonly width: number;
  readonly height: number;
  readonly isLogY: boolean;
  readonly xTicks: readonly (readonly [x: number, label: string])[];
  readonly unit: string;
}

const ROW_HEIGHT = 16;
const GROUP_GAP = 14;
const LABEL_WIDTH = 130;
const VALUE_WIDTH = 70;

export function barChart(groups: readonly BarGroup[], width: number): string {
  const most = Math.max(1, ...groups.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const scale = (width - LABEL_WIDTH - VALUE_WIDTH) / most;
  let y = 4;
  const parts: string[] = [];
  for (const { label, values } of groups) {
    parts.push(groupLabel(label, y, values.length));
    values.forEach((value, i) => {
      if (value !== null) {
        const length = Math.max(1, value * scale);
        parts.push(
          `<rect class="s${i + 1}" x="${LABEL_WIDTH}" y="${y + 2}" width="${n(length)}" height="${ROW_HEIGHT - 4}" rx="2"/>`,
          text(LABEL_WIDTH + length + 6, y + 12, Math.round(value).toLocaleString('en'), 'value'),
        );
      }
      y += ROW_HEIGHT;
    });
    y += GROUP_GAP;
  }
  return svg(width, y, parts);
}

/** From p50 (dot) over p99 (tick) to p99.9 (end), on a logarithmic axis. */
export function rangeChart(groups: readonly RangeGroup[], width: number): string {
  const all = groups.flatMap(({ values }) => values.flatMap((value) => value ?? []));
  const { low, high, ticks } = logAxis(all);
  const left = LABEL_WIDTH;
  const right = width - 20;
  const x = (value: number) =>
    left +
    ((Math.log10(Math.max(value, low)) - Math.log10(low)) / Math.log10(high / low)) *
      (right - left);
  const rows = groups.reduce((sum, { values }) => sum + values.length * ROW_HEIGHT + GROUP_GAP, 0);
  const parts = ticks.map(
    (tick) =>
      `<line class="grid" x1="${n(x(tick))}" y1="0" x2="${n(x(tick))}" y2="${rows}"/>${text(x(tick), rows + 12, milliseconds(tick), 'axis', 'middle')}`,
  );
  let y = 4;
  for (const { label, values } of groups) {
    parts.push(groupLabel(label, y, values.length));
    values.forEach((value, i) => {
      if (value !== null) parts.push(range(value.map(x), y + ROW_HEIGHT / 2, i + 1, value));
      y += ROW_HEIGHT;
    });
    y += GROUP_GAP;
  }
  return svg(width, rows + 18, parts);
}

export function lineChart(lines: readonly Line[], options: LineOptions): string {
  const { width, height, isLogY, xTicks, unit } = options;
  const ys = lines.flatMap(({ points }) => points.map(([, y]) => y));
  const xs = [...lines.flatMap(({ points }) => points.map(([x]) => x)), ...xTicks.map(([x]) => x)];
  const axis = isLogY ? logAxis(ys) : linearAxis(ys);
  const [left, right, top, bottom] = [46, width - 10, 8, height - 20];
  const minX = Math.min(...xs);
  const spanX = Math.max(...xs) - minX || 1;
  const x = (value: number) => left + ((value - minX) / spanX) * (right - left);
  const part = (value: number) =>
    isLogY
      ? Math.log10(Math.max(value, axis.low) / axis.low) / Math.log10(axis.high / axis.low)
      : value / axis.high;
  const y = (value: number) => bottom - part(value) * (bottom - top);
  const label = (tick: number) => (unit === 'ms' ? milliseconds(tick) : compact(tick));
  const parts = [
    ...axis.ticks.map(
      (tick) =>
        `<line class="grid" x1="${left}" y1="${n(y(tick))}" x2="${right}" y2="${n(y(tick))}"/>${text(left - 5, y(tick) + 4, label(tick), 'axis', 'end')}`,
    ),
    ...xTicks.map(([at, name]) => text(x(at), height - 5, name, 'axis', 'middle')),
    ...lines.map(({ series, points }) => {
      const path = points.map(([px, py]) => `${n(x(px))},${n(y(py))}`).join(' ');
      return `<polyline class="l${series}" points="${path}"/>`;
    }),
  ];
  return svg(width, height, parts);
}

export function milliseconds(ms: number): string {
  if (ms < 1) return `${Number((ms * 1000).toPrecision(3))} µs`;
  if (ms >= 1000) return `${Number((ms / 1000).toPrecision(3))} s`;
  return `${Number(ms.toPrecision(3))} ms`;
}

export function escapeHtml(value: string): string {
  return value.replace(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`);
}

function range(xs: readonly number[], y: number, series: number, value: readonly number[]): string {
  const [p50 = 0, p99 = 0, p999 = 0] = xs;
  const title = ['p50', 'p99', 'p99.9']
    .map((name, i) => `${name} ${milliseconds(value[i] ?? 0)}`)
    .join(', ');
  return (
    `<g><title>${title}</title><line class="l${series} thin" x1="${n(p50)}" y1="${y}" x2="${n(p999)}" y2="${y}"/>` +
    `<line class="l${series}" x1="${n(p50)}" y1="${y}" x2="${n(p99)}" y2="${y}"/>` +
    `<line class="l${series}" x1="${n(p999)}" y1="${y - 4}" x2="${n(p999)}" y2="${y + 4}"/>` +
    `<circle class="s${series}" cx="${n(p50)}" cy="${y}" r="5"/></g>`
  );
}

function groupLabel(label: string, y: number, rows: number): string {
  return text(LABEL_WIDTH - 10, y + (rows * ROW_HEIGHT) / 2 + 4, label, 'label', 'end');
}

function logAxis(values: readonly number[]): { low: number; high: number; ticks: number[] } {
  const positive = values.filter((value) => value > 0);
  const least = Math.min(...positive, Number.POSITIVE_INFINITY);
  const from = Math.floor(Math.log10(Number.isFinite(least) ? least : 1));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...positive, 10 ** from))));
  const ticks = Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));
  return { low: 10 ** from, high: 10 ** to, ticks };
}

function linearAxis(values: readonly number[]): { low: number; high: number; ticks: number[] } {
  const most = Math.max(1, ...values);
  const magnitude = 10 ** Math.floor(Math.log10(most));
  const step =
    [0.25, 0.5, 1, 2].map((it) => it * magnitude).find((it) => most / it <= 5) ?? magnitude * 2;
  const count = Math.ceil(most / step);
  return {
    low: 0,
    high: count * step,
    ticks: Array.from({ length: count + 1 }, (_, i) => i * step),
  };
}

function compact(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  return value >= 1000 ? `${Number((value / 1000).toPrecision(3))} k` : String(value);
}

function text(x: number, y: number, value: string, kind: string, anchor = 'start'): string {
  return `<text class="${kind}" x="${n(x)}" y="${n(y)}" text-anchor="${anchor}">${escapeHtml(value)}</text>`;
}

function svg(width: number, height: number, parts: readonly string[]): string {
  return `<svg viewBox="0 0 ${width} ${n(height)}" width="${width}" height="${n(height)}" role="img">${parts.join('')}</svg>`;
}

function n(value: number): string {
  return value.toFixed(1);
}

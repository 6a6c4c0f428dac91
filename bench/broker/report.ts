// The report of a whole-broker run: one HTML file that needs nothing else. Throughput and latency side by side, each case over time,
// all figures in a table, the machine and the command.

import type { MachineFacts } from '../run/machine.js';
import { machineLine } from '../run/machine.js';
import { barChart, escapeHtml, type Line, lineChart, milliseconds, rangeChart } from './charts.js';
import type { LoadCase, LoadResult } from './load-case.js';

export interface CaseResult {
  readonly loadCase: LoadCase;
  /** One a series, in the order of the report's series. */
  readonly results: readonly LoadResult[];
}

export interface Report {
  readonly title: string;
  readonly about: string;
  readonly series: readonly string[];
  readonly cases: readonly CaseResult[];
  readonly machine: MachineFacts;
  readonly store: string;
  readonly command: string;
}

const HALF_WIDTH = 560;
const SMALL_HEIGHT = 150;
/** Percentiles on an axis of 1 / (1 - p). */
const PERCENTILES = [50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99];

const STYLE = `
:root{color-scheme:light dark;--page:#fff;--ink:#1c2430;--soft:#5b6675;--rule:#dfe3e8;--series-1:#2563c9;--series-2:#d9731a;--series-3:#0d8a72;--series-4:#8a4fbf}
@media (prefers-color-scheme:dark){:root{--page:#14181e;--ink:#e6eaf0;--soft:#9aa5b4;--rule:#2c343f;--series-1:#6ea2f5;--series-2:#f09a4e;--series-3:#4cc4a8;--series-4:#b78ae0}}
body{margin:0 auto;max-width:1180px;padding:24px;background:var(--page);color:var(--ink);font:14px/1.45 system-ui,"DejaVu Sans",sans-serif}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:28px 0 6px}h3{font-size:13px;margin:12px 0 0;font-weight:600}
p{margin:4px 0;color:var(--soft)}code{font:12px ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.pair{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:20px}@media (max-width:900px){.pair{grid-template-columns:1fr}}
svg{display:block;max-width:100%;height:auto}svg text{fill:var(--ink);font-size:11px}svg .axis{fill:var(--soft);font-size:10px}
svg .grid{stroke:var(--rule)}polyline{fill:none}
${[1, 2, 3, 4].map((i) => `.s${i}{fill:var(--series-${i})}.l${i}{stroke:var(--series-${i});stroke-width:2}`).join('')}
.thin{stroke-width:1!important;stroke-dasharray:3 2}
.legend span{margin-right:18px}.legend i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px;vertical-align:-1px}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;white-space:nowrap}
th,td{padding:4px 9px;text-align:right;border-bottom:1px solid var(--rule)}th{font-weight:600;color:var(--soft)}th:first-child,td:first-child,th:nth-child(2),td:nth-child(2){text-align:left}
tr.first td{border-top:2px solid var(--rule)}`;

export function reportHtml(report: Report): string {
  const { title, about, cases, machine, store, command } = report;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>
<h1>${escapeHtml(title)}</h1><p>${escapeHtml(about)}</p>
<p class="legend">${legend(report.series)}</p>
<div class="pair"><section><h2>Throughput, messages a second</h2>${throughput(cases)}</section>
<section><h2>Latency: p50 (dot), p99 (thick), p99.9 (end)</h2>${latency(cases)}</section></div>
<h2>All figures</h2><div class="scroll">${table(report)}</div>
<p>CPU is the whole broker's time, all threads, for a message. Load CPU is the load generator's share of one processor: near 1 it is the load that limits, not the broker. Syncs are those of the commit log.</p>
<h2>Over time</h2>${cases.map(overTime).join('')}
<h2>Latency by percentile</h2><div class="pair">${cases.map(byPercentile).join('')}</div>
<h2>Machine and command</h2><p>${escapeHtml(machineLine(machine))}</p><p>Store: ${escapeHtml(store)}</p><p><code>${escapeHtml(command)}</code></p>
</body></html>
`;
}

/** The same as lines for the terminal. */
export function reportText({ series, cases }: Report): string {
  const width = Math.max(...series.map((name) => name.length)) + 2;
  const lines = [
    `  ${'case'.padEnd(20)}${'series'.padEnd(width)}      msg/s      MB/s       p50       p99     p99.9   µs CPU/msg   anon MB    syncs  mean sync  load CPU`,
  ];
  for (const { loadCase, results } of cases) {
    results.forEach((result, i) => {
      const cells = cellsOf(result);
      const widths = [11, 10, 10, 10, 10, 13, 10, 9, 11, 10];
      lines.push(
        `  ${loadCase.name.padEnd(20)}${(series[i] ?? '').padEnd(width)}${cells.map((cell, j) => cell.padStart(widths[j] ?? 10)).join('')}${failures(result)}`,
      );
    });
  }
  return lines.join('\n');
}

function legend(series: readonly string[]): string {
  return series
    .map(
      (name, i) =>
        `<span><i style="background:var(--series-${i + 1})"></i>${escapeHtml(name)}</span>`,
    )
    .join('');
}

function throughput(cases: readonly CaseResult[]): string {
  return barChart(
    cases.map(({ loadCase, results }) => ({
      label: loadCase.name,
      values: results.map(({ rate }) => rate),
    })),
    HALF_WIDTH,
  );
}

function latency(cases: readonly CaseResult[]): string {
  return rangeChart(
    cases.map(({ loadCase, results }) => ({
      label: loadCase.name,
      values: results.map(({ latency: it }) => [it.p50Ms, it.p99Ms, it.p999Ms] as const),
    })),
    HALF_WIDTH,
  );
}

function overTime({ loadCase, results }: CaseResult): string {
  const lines = (field: 'rate' | 'p99Ms'): Line[] =>
    results.map(({ intervals }, i) => ({
      series: i + 1,
      points: intervals.map((it) => [it.atSeconds, it[field]] as const),
    }));
  const end = Math.round(loadCase.durationMs / 1000);
  const step = Math.max(1, Math.ceil(end / 8));
  const xTicks = Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => {
    return [i * step, `${i * step} s`] as const;
  });
  const size = { width: HALF_WIDTH, height: SMALL_HEIGHT, xTicks };
  return `<div class="pair"><section><h3>${escapeHtml(loadCase.name)}: messages a second</h3>${lineChart(lines('rate'), { ...size, isLogY: false, unit: 'msg/s' })}</section><section><h3>${escapeHtml(loadCase.name)}: p99</h3>${lineChart(lines('p99Ms'), { ...size, isLogY: true, unit: 'ms' })}</section></div>`;
}

function byPercentile({ loadCase, results }: CaseResult): string {
  const x = (percent: number) => -Math.log10(1 - percent / 100);
  const lines = results.map(({ latency: { quantiles } }, i) => ({
    series: i + 1,
    points: PERCENTILES.map((percent) => [x(percent), quantiles[String(percent)] ?? 0] as const),
  }));
  const xTicks = [50, 90, 99, 99.9, 99.99].map((it) => [x(it), `${it} %`] as const);
  const chart = lineChart(lines, {
    width: HALF_WIDTH,
    height: SMALL_HEIGHT,
    isLogY: true,
    xTicks,
    unit: 'ms',
  });
  return `<section><h3>${escapeHtml(loadCase.name)}</h3>${chart}</section>`;
}

function table({ series, cases }: Report): string {
  const head =
    '<tr><th>case</th><th>series</th><th>msg/s</th><th>MB/s</th><th>p50</th><th>p99</th><th>p99.9</th><th>µs CPU/msg</th><th>anon MB</th><th>syncs</th><th>mean sync</th><th>load CPU</th></tr>';
  const rows = cases.flatMap(({ loadCase, results }) =>
    results.map((result, i) => {
      const cells = cellsOf(result).map((cell) => `<td>${escapeHtml(cell)}</td>`);
      const name = `${escapeHtml(series[i] ?? '')}${escapeHtml(failures(result))}`;
      return `<tr${i === 0 ? ' class="first"' : ''}><td>${i === 0 ? escapeHtml(loadCase.name) : ''}</td><td>${name}</td>${cells.join('')}</tr>`;
    }),
  );
  return `<table>${head}${rows.join('')}</table>`;
}

function cellsOf(result: LoadResult): string[] {
  const optional = (value: number | null, digits: number) =>
    value === null ? '-' : value.toFixed(digits);
  return [
    result.rate.toLocaleString('en'),
    result.megabytesPerSecond.toFixed(1),
    milliseconds(result.latency.p50Ms),
    milliseconds(result.latency.p99Ms),
    milliseconds(result.latency.p999Ms),
    optional(result.brokerCpuUsPerMessage, 1),
    optional(result.brokerAnonMb, 0),
    optional(result.syncs, 0),
    result.syncMeanMs === null ? '-' : milliseconds(result.syncMeanMs),
    result.loadCpuShare.toFixed(2),
  ];
}

function failures({ failed }: LoadResult): string {
  const codes = Object.entries(failed).map(([code, count]) => `${count} answers ${code}`);
  return codes.length === 0 ? '' : ` (${codes.join(', ')})`;
}

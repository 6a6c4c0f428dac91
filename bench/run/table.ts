// Trials put together: the median over the trials of each piece's median, the lowest and highest of them, and how it stands to its baseline.

import type { GroupResult, RowResult, TrialResult } from './trial-result.js';

export interface Summary {
  readonly name: string;
  readonly isBaseline: boolean;
  readonly isLatency: boolean;
  readonly medianNs: number;
  readonly lowNs: number;
  readonly highNs: number;
  readonly p99Ns: number;
  readonly p999Ns: number;
  readonly opsPerSecond: number;
  readonly megabytesPerSecond: number;
  /** How many times as fast as the baseline. */
  readonly speedUp: number;
}

export interface GroupSummary {
  readonly name: string;
  readonly rows: readonly Summary[];
}

export function summarize(trials: readonly TrialResult[]): GroupSummary[] {
  const [first] = trials;
  if (first === undefined) return [];
  return first.groups.map((group, i) => {
    const groups = trials.map((trial) => trial.groups[i] as GroupResult);
    const baseline = group.rows.findIndex(({ isBaseline }) => isBaseline);
    const rowsOf = (j: number) => groups.map(({ rows }) => rows[j] as RowResult);
    const baselineNs = baseline < 0 ? Number.NaN : medianOf(rowsOf(baseline), 'p50Ns');
    return { name: group.name, rows: group.rows.map((_, j) => summaryOf(rowsOf(j), baselineNs)) };
  });
}

export function tableOf(groups: readonly GroupSummary[]): string {
  const lines: string[] = [];
  for (const { name, rows } of groups) {
    const isLatency = rows.some((row) => row.isLatency);
    const width = Math.max(38, ...rows.map((row) => row.name.length + 2));
    const tail = isLatency ? '       p99     p99.9' : '          ops/s      MB/s';
    lines.push('', `  ${name.padEnd(width)}   median   low … high         ${tail}   to baseline`);
    for (const row of rows) {
      const spread = `${time(row.lowNs)} … ${time(row.highNs)}`;
      const rate = row.megabytesPerSecond > 0 ? row.megabytesPerSecond.toFixed(0) : '';
      const rest = isLatency
        ? `${time(row.p99Ns).padStart(10)}${time(row.p999Ns).padStart(10)}`
        : `${Math.round(row.opsPerSecond).toLocaleString('en').padStart(15)}${rate.padStart(10)}`;
      const ratio = row.isBaseline
        ? 'baseline'
        : Number.isNaN(row.speedUp)
          ? ''
          : `${row.speedUp.toFixed(2)}x`;
      lines.push(
        `    ${row.name.padEnd(width - 2)}${time(row.medianNs).padStart(9)}   ${spread.padEnd(21)}${rest}   ${ratio}`,
      );
    }
  }
  return lines.join('\n');
}

export function time(ns: number): string {
  if (!Number.isFinite(ns)) return '-';
  if (ns < 100) return `${ns.toFixed(1)} ns`;
  if (ns < 10_000) return `${ns.toFixed(0)} ns`;
  if (ns < 10_000_000) return `${(ns / 1e3).toFixed(1)} µs`;
  return `${(ns / 1e6).toFixed(1)} ms`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

function summaryOf(rows: readonly RowResult[], baselineNs: number): Summary {
  const [first] = rows;
  if (first === undefined) throw new Error('no trial has the row');
  const medians = rows.map(({ p50Ns }) => p50Ns);
  const medianNs = median(medians);
  return {
    name: first.name,
    isBaseline: first.isBaseline,
    isLatency: first.isLatency,
    medianNs,
    lowNs: Math.min(...medians),
    highNs: Math.max(...medians),
    p99Ns: medianOf(rows, 'p99Ns'),
    p999Ns: medianOf(rows, 'p999Ns'),
    opsPerSecond: 1e9 / medianNs,
    megabytesPerSecond: (first.bytesPerOp * 1e3) / medianNs,
    speedUp: baselineNs / medianNs,
  };
}

function medianOf(rows: readonly RowResult[], field: 'p50Ns' | 'p99Ns' | 'p999Ns'): number {
  return median(rows.map((row) => row[field]));
}

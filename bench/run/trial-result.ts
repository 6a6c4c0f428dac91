// What one trial says, as it crosses from its process to the runner. All times are nanoseconds an operation.

export interface RowResult {
  readonly name: string;
  readonly isBaseline: boolean;
  readonly bytesPerOp: number;
  readonly p50Ns: number;
  readonly p99Ns: number;
  readonly p999Ns: number;
  readonly samples: number;
  /** Each operation was timed by itself, so that percentiles are those of operations and not of calls of many. */
  readonly isLatency: boolean;
}

export interface GroupResult {
  readonly name: string;
  readonly rows: readonly RowResult[];
}

export interface TrialResult {
  readonly operation: string;
  readonly seed: number;
  readonly inputHash: string;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly groups: readonly GroupResult[];
}

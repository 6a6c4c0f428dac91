// Room: cli. What the process answers to its shell; one table for all commands. Java's tools answer 0 when they fail: a fault that
// scripts suffer from, and one of our documented differences.

import { type ErrorCode, isCometError } from '../base/errors.js';

export const ExitCode = {
  OK: 0,
  FAILED: 1,
  USAGE: 2,
  CANNOT_CONNECT: 3,
  NOT_FOUND: 4,
  NO_PERMISSION: 5,
  TIMEOUT: 124,
  /** By a signal: 128 and its number, so 130 for SIGINT and 143 for SIGTERM. */
  SIGNAL_BASE: 128,
} as const;

const BY_ERROR: Partial<Record<ErrorCode, number>> = {
  CONFIG_INVALID: ExitCode.USAGE,
  ADDRESS_INVALID: ExitCode.USAGE,
  CONNECT_FAILED: ExitCode.CANNOT_CONNECT,
  CONNECTION_CLOSED: ExitCode.CANNOT_CONNECT,
  TOPIC_NOT_EXIST: ExitCode.NOT_FOUND,
  QUERY_NOT_FOUND: ExitCode.NOT_FOUND,
  NO_PERMISSION: ExitCode.NO_PERMISSION,
  REQUEST_TIMEOUT: ExitCode.TIMEOUT,
};

export function exitCodeOf(error: unknown): number {
  return isCometError(error) ? (BY_ERROR[error.code] ?? ExitCode.FAILED) : ExitCode.FAILED;
}

// Room: protocol. Any thread. Typed reading of a command's header fields. What is missing or wrong throws a CometError whose
// message names the field, and the dispatcher answers it with code 1 and that message as remark (bugreports.md #36).
// Numbers are safe integers or an error: a value is never rounded unseen (#35).

import { type CometError, cometError } from '../base/errors.js';
import type { RemotingCommand } from './remoting-command.js';

const INT_MAX = 0x7fff_ffff;
const INT_MIN = -0x8000_0000;
const LONG_MAX = 0x7fff_ffff_ffff_ffffn;
const LONG_MIN = -0x8000_0000_0000_0000n;
const WHOLE_NUMBER = /^[-+]?\d{1,25}$/;

export function requireString(command: RemotingCommand, name: string): string {
  return fieldOf(command, name) ?? throwMissing(name);
}

/** As requireString, and not empty either. */
export function requireText(command: RemotingCommand, name: string): string {
  const value = requireString(command, name);
  if (value === '') throw cometError('PROTOCOL_FIELD_MISSING', `"${name}" is empty`);
  return value;
}

/** A 32-bit number. */
export function requireInt(command: RemotingCommand, name: string): number {
  return optionalInt(command, name) ?? throwMissing(name);
}

/** A 64-bit number that is a safe integer; others are refused. */
export function requireLong(command: RemotingCommand, name: string): number {
  return optionalLong(command, name) ?? throwMissing(name);
}

/** Any 64-bit number; beyond the safe integers it becomes the nearest one. For bounds in time such as Long.MAX_VALUE. */
export function requireClampedLong(command: RemotingCommand, name: string): number {
  return clamp(requireBigLong(command, name));
}

/** Any 64-bit number, exactly. */
export function requireBigLong(command: RemotingCommand, name: string): bigint {
  return optionalBigLong(command, name) ?? throwMissing(name);
}

/** "true" or "false" in any case. */
export function requireBoolean(command: RemotingCommand, name: string): boolean {
  return optionalBoolean(command, name) ?? throwMissing(name);
}

export function requireDouble(command: RemotingCommand, name: string): number {
  const value = requireText(command, name);
  const number = Number(value);
  if (!Number.isFinite(number)) throw invalid(name, value, 'no number');
  return number;
}

export function optionalString(command: RemotingCommand, name: string): string | null {
  return fieldOf(command, name) ?? null;
}

/** Null when absent or empty; an error when it is there and wrong. */
export function optionalInt(command: RemotingCommand, name: string): number | null {
  const value = fieldOf(command, name);
  if (value === undefined || value === '') return null;
  const number = WHOLE_NUMBER.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) throw invalid(name, value, 'no whole number');
  if (number > INT_MAX || number < INT_MIN) throw invalid(name, value, 'no 32-bit number');
  return number + 0;
}

/** Null when absent or empty; an error when it is there and wrong. */
export function optionalLong(command: RemotingCommand, name: string): number | null {
  const value = fieldOf(command, name);
  if (value === undefined || value === '') return null;
  const number = WHOLE_NUMBER.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) throw invalid(name, value, 'no whole number');
  if (!Number.isSafeInteger(number)) throw invalid(name, value, 'outside the usable numbers');
  return number + 0;
}

/** Null when absent or empty; an error when it is there and wrong. */
export function optionalClampedLong(command: RemotingCommand, name: string): number | null {
  const value = optionalBigLong(command, name);
  return value === null ? null : clamp(value);
}

/** Null when absent or empty; an error when it is there and wrong. */
export function optionalBigLong(command: RemotingCommand, name: string): bigint | null {
  const value = fieldOf(command, name);
  if (value === undefined || value === '') return null;
  if (!WHOLE_NUMBER.test(value)) throw invalid(name, value, 'no whole number');
  const number = BigInt(value.startsWith('+') ? value.slice(1) : value);
  if (number > LONG_MAX || number < LONG_MIN) throw invalid(name, value, 'no 64-bit number');
  return number;
}

/** Null when absent or empty; an error when it is there and neither true nor false. */
export function optionalBoolean(command: RemotingCommand, name: string): boolean | null {
  const value = fieldOf(command, name);
  if (value === undefined || value === '') return null;
  switch (value.toLowerCase()) {
    case 'true':
      return true;
    case 'false':
      return false;
    default:
      throw invalid(name, value, 'neither true nor false');
  }
}

/** Only strings count, so that what every object inherits is no field. */
function fieldOf(command: RemotingCommand, name: string): string | undefined {
  const value: unknown = command.extFields?.[name];
  return typeof value === 'string' ? value : undefined;
}

function clamp(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) return Number.MAX_SAFE_INTEGER;
  if (value < BigInt(Number.MIN_SAFE_INTEGER)) return Number.MIN_SAFE_INTEGER;
  return Number(value);
}

function throwMissing(name: string): never {
  throw cometError('PROTOCOL_FIELD_MISSING', `"${name}"`);
}

function invalid(name: string, value: string, why: string): CometError {
  const shown = value.length > 64 ? `${value.slice(0, 64)}…` : value;
  return cometError('PROTOCOL_FIELD_INVALID', `"${name}" is ${why}: "${shown}"`);
}

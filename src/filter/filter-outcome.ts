// Room: filter. Any thread. SQL's three truth values, and a fourth for what is an exception in the reference: an
// evaluation that failed, such as `a > 1` on a property that is no integer. It ends the whole expression as it would there.
// Hot: evaluated for each message of a filtered pull. A number each, so that nothing is allocated.

import type { PropertyLookup } from './property-lookup.js';

export const FALSE = 0;
export const TRUE = 1;
/** SQL's NULL. */
export const UNKNOWN = 2;
export const FAILED = 3;

export type Outcome = typeof FALSE | typeof TRUE | typeof UNKNOWN | typeof FAILED;

export type Condition = (properties: PropertyLookup) => Outcome;

export function always(outcome: Outcome): Condition {
  return () => outcome;
}

/** Stops at the first FALSE; an unknown operand does not stop it. */
export function allOf(conditions: readonly Condition[]): Condition {
  return (properties) => {
    let outcome: Outcome = TRUE;
    for (const condition of conditions) {
      const one = condition(properties);
      if (one === FALSE || one === FAILED) return one;
      if (one === UNKNOWN) outcome = UNKNOWN;
    }
    return outcome;
  };
}

/** Stops at the first TRUE; an unknown operand does not stop it. */
export function anyOf(conditions: readonly Condition[]): Condition {
  return (properties) => {
    let outcome: Outcome = FALSE;
    for (const condition of conditions) {
      const one = condition(properties);
      if (one === TRUE || one === FAILED) return one;
      if (one === UNKNOWN) outcome = UNKNOWN;
    }
    return outcome;
  };
}

export function not(condition: Condition): Condition {
  return (properties) => {
    const outcome = condition(properties);
    return outcome === TRUE ? FALSE : outcome === FALSE ? TRUE : outcome;
  };
}

// V8's .cpuprofile as a tree with times, and the functions by their own time. Sleeping and idle time is kept apart: shares are of the
// time in which the thread did something.

import { basename } from 'node:path';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
  };
  readonly children?: readonly number[];
}

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly endTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface Frame {
  readonly name: string;
  /** File and line, '' for what is not JavaScript of ours or Node's. */
  readonly place: string;
  readonly url: string;
  selfUs: number;
  totalUs: number;
  readonly children: Frame[];
}

export interface SelfTime {
  readonly name: string;
  readonly place: string;
  readonly selfUs: number;
}

/** Frames in which a thread waits: V8's idle, the wait of a wake word, piscina's. */
const ASLEEP = new Set(['(idle)', 'wait', 'atomicsWaitLoop']);

/** @param fromUs, toUs the part of the profile that counts, on the machine's monotonic clock. */
export function frameTree(profile: CpuProfile, fromUs = 0, toUs = Number.MAX_VALUE): Frame {
  const selfUs = new Map<number, number>();
  let atUs = profile.startTime;
  profile.samples.forEach((id, i) => {
    atUs += profile.timeDeltas[i] ?? 0;
    if (atUs < fromUs || atUs > toUs) return;
    // A sample stands for the time until the next one.
    const us = Math.max(0, profile.timeDeltas[i + 1] ?? 0);
    selfUs.set(id, (selfUs.get(id) ?? 0) + us);
  });
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const build = (node: ProfileNode): Frame => {
    const children = (node.children ?? [])
      .map((id) => byId.get(id))
      .filter((child) => child !== undefined)
      .map(build);
    const { functionName, url, lineNumber } = node.callFrame;
    const own = selfUs.get(node.id) ?? 0;
    return {
      name: functionName === '' ? '(anonymous)' : functionName,
      place: url === '' ? '' : `${url.startsWith('node:') ? url : basename(url)}:${lineNumber + 1}`,
      url,
      selfUs: own,
      totalUs: own + children.reduce((sum, child) => sum + child.totalUs, 0),
      children,
    };
  };
  const [root] = profile.nodes;
  if (root === undefined) throw new Error('the profile is empty');
  return build(root);
}

/** Without the time asleep, in place. */
export function awake(frame: Frame): Frame {
  const children = frame.children
    .filter((child) => !isAsleep(child))
    .map(awake)
    .filter((child) => child.totalUs > 0);
  const totalUs = frame.selfUs + children.reduce((sum, child) => sum + child.totalUs, 0);
  return { ...frame, totalUs, children };
}

export function selfTimes(root: Frame): SelfTime[] {
  const sums = new Map<string, SelfTime & { selfUs: number }>();
  const visit = (frame: Frame): void => {
    const key = `${frame.name} ${frame.place}`;
    const sum = sums.get(key) ?? { name: frame.name, place: frame.place, selfUs: 0 };
    sum.selfUs += frame.selfUs;
    sums.set(key, sum);
    frame.children.forEach(visit);
  };
  visit(root);
  return [...sums.values()].sort((a, b) => b.selfUs - a.selfUs);
}

/** Which thread of the broker it is: a worker runs below its entry file, the pool's below piscina's, main below none. */
export function threadOf(root: Frame): string {
  let name = 'main';
  const visit = (frame: Frame): void => {
    const match = /\/dist\/workers\/([a-z]+)-worker\.js$/.exec(frame.url);
    if (match?.[1] !== undefined) name = match[1];
    else if (/\/piscina\/dist\/worker\.js$/.test(frame.url)) name = 'pool';
    frame.children.forEach(visit);
  };
  visit(root);
  return name;
}

function isAsleep(frame: Frame): boolean {
  return (
    ASLEEP.has(frame.name) && (frame.place === '' || /\/(wake-word|worker)\.js$/.test(frame.url))
  );
}

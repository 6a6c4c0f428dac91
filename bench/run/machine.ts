// The machine and the build that figures come from.

import { execFileSync } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

export interface MachineFacts {
  readonly cpu: string;
  readonly cpuCount: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  readonly commit: string;
  readonly loadAverage: number;
  readonly dateUtc: string;
}

export function machineFacts(): MachineFacts {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cpuCount: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    commit: commit(),
    loadAverage: Number(loadavg()[0]?.toFixed(1) ?? 0),
    dateUtc: new Date().toISOString().slice(0, 16).replace('T', ' '),
  };
}

export function machineLine(facts: MachineFacts): string {
  return (
    `${facts.cpu}, ${facts.cpuCount} CPUs, ${facts.memoryGb} GB, ${facts.system}, node ${facts.node}, ` +
    `commit ${facts.commit}, load average ${facts.loadAverage}, ${facts.dateUtc} UTC`
  );
}

/** The file system that holds a folder, as far as Linux tells it. */
export function fileSystemOf(folder: string): string {
  const freeGb = Math.round((statfsSync(folder).bavail * statfsSync(folder).bsize) / 2 ** 30);
  try {
    let best = { mount: '', kind: '' };
    for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
      const [, mount = '', kind = ''] = line.split(' ');
      const holds = mount === '/' || folder === mount || folder.startsWith(`${mount}/`);
      if (holds && mount.length > best.mount.length) best = { mount, kind };
    }
    return `${best.kind}, ${freeGb} GB free`;
  } catch {
    return `${freeGb} GB free`;
  }
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const isChanged = git('status', '--porcelain', '--', 'src', 'native').trim() !== '';
    return git('rev-parse', '--short', 'HEAD').trim() + (isChanged ? ' with changes' : '');
  } catch {
    return 'unknown';
  }
}

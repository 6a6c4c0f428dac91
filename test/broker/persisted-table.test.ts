import { describe, expect, it } from 'vitest';
import { setLogLevel } from '../../src/base/logger.js';
import { joinInSlices, PersistedTable } from '../../src/broker/persisted-table.js';

setLogLevel('silent');

/** A disk whose writes end when they are told to. */
class SlowDisk {
  readonly written: string[] = [];
  readonly #waiting: { text: string; resolve: () => void; reject: (error: Error) => void }[] = [];

  readonly write = (_path: string, text: string): Promise<void> =>
    new Promise((resolve, reject) => this.#waiting.push({ text, resolve, reject }));

  get waiting(): number {
    return this.#waiting.length;
  }

  finish(error?: Error): void {
    const write = this.#waiting.shift();
    if (write === undefined) throw new Error('nothing is being written');
    if (error !== undefined) write.reject(error);
    else {
      this.written.push(write.text);
      write.resolve();
    }
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('PersistedTable', () => {
  it('folds all saves asked for during one into a single one with the newest state', async () => {
    const disk = new SlowDisk();
    let state = 'a';
    const table = new PersistedTable('f', () => [state], disk.write);
    const first = table.persist();
    await turn();
    state = 'b';
    const second = table.persist();
    state = 'c';
    const third = table.persist();
    expect(disk.waiting).toBe(1);
    disk.finish();
    await first;
    await turn();
    expect(disk.waiting).toBe(1);
    disk.finish();
    await Promise.all([second, third]);
    expect(disk.written).toEqual(['a', 'c']);
  });

  it('saves again at the next turn what could not be saved', async () => {
    const disk = new SlowDisk();
    const table = new PersistedTable('f', () => ['x'], disk.write);
    const failed = table.persist();
    await turn();
    disk.finish(new Error('EIO'));
    await expect(failed).rejects.toThrow('EIO');
    const again = table.persistIfDirty();
    await turn();
    disk.finish();
    await again;
    expect(disk.written).toEqual(['x']);
    await table.persistIfDirty();
    expect(disk.waiting).toBe(0);
  });

  it('runs a save that waited behind one that failed', async () => {
    const disk = new SlowDisk();
    const table = new PersistedTable('f', () => ['x'], disk.write);
    const first = table.persist();
    await turn();
    const second = table.persist();
    disk.finish(new Error('EIO'));
    await expect(first).rejects.toThrow();
    await turn();
    disk.finish();
    await second;
    expect(disk.written).toEqual(['x']);
  });

  it('counts as unhealthy after three failures in a row, and as healthy after one success', async () => {
    let fail = true;
    const table = new PersistedTable(
      'f',
      () => ['x'],
      async () => {
        if (fail) throw new Error('ENOSPC');
      },
    );
    for (let i = 0; i < 3; i++) {
      expect(table.isHealthy).toBe(true);
      await table.persist().catch(() => undefined);
    }
    expect(table.isHealthy).toBe(false);
    fail = false;
    await table.persist();
    expect(table.isHealthy).toBe(true);
  });

  it('waits for a save under way when there is nothing new', async () => {
    const disk = new SlowDisk();
    const table = new PersistedTable('f', () => ['x'], disk.write);
    const first = table.persist();
    await turn();
    let ended = false;
    const end = table.persistIfDirty().then(() => {
      ended = true;
    });
    await turn();
    expect(ended).toBe(false);
    disk.finish();
    await Promise.all([first, end]);
    expect(ended).toBe(true);
  });
});

describe('joinInSlices', () => {
  it('lets the loop turn while a large text is made', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const text = await joinInSlices(Array.from({ length: 50_000 }, () => '0123456789'.repeat(4)));
    clearInterval(timer);
    expect(text).toHaveLength(2_000_000);
    expect(turns).toBeGreaterThan(2);
  });
});

// Reports about Java (bugreports.md) whose kind recovery has to get right. Each test names its report.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { StoreSummarizer } from '../../../src/store/dispatch/store-summarizer.js';
import { openStore, recoverStore } from '../../../src/store/recovery/recover-store.js';
import { newFolder, removeFolders } from '../golden-store.js';
import {
  close,
  contentOf,
  encodeRecord,
  FIRST_STORE_TIME,
  LOG_FILE_BYTES,
  logPath,
  message,
  messages,
  patch,
  readAll,
  settle,
  smallConfig,
  writeLog,
  writeLogFile,
} from '../small-store.js';

afterAll(removeFolders);

const clock = new ManualClock();

describe('report 3: odd files in the log folder after kill -9', () => {
  it('moves an empty next file aside and goes on', () => {
    const root = newFolder();
    const stored = writeLog(
      root,
      Array.from({ length: 100 }, (_, i) => message(i)),
    );
    settle(root, 'crash');
    const next = Math.ceil(stored.at(-1)!.physicalOffset / LOG_FILE_BYTES) * LOG_FILE_BYTES;
    writeFileSync(logPath(root, next), '');
    const opened = openStore(smallConfig(root), clock);
    expect(readAll(root, opened, []).queues).toEqual(contentOf(stored).queues);
    expect(existsSync(logPath(root, next))).toBe(false);
    expect(readdirSync(join(root, 'quarantine/commitlog'))).toHaveLength(1);
    close(opened);
  });

  it('ignores a file with another name, and leaves it where it is', () => {
    const root = newFolder();
    const stored = writeLog(
      root,
      Array.from({ length: 10 }, (_, i) => message(i)),
    );
    settle(root, 'clean');
    writeFileSync(join(root, 'commitlog/notes.txt'), 'notes');
    const opened = openStore(smallConfig(root), clock);
    expect(readAll(root, opened, []).queues).toEqual(contentOf(stored).queues);
    expect(existsSync(join(root, 'commitlog/notes.txt'))).toBe(true);
    close(opened);
  });

  it('takes away the zero file that was made ahead and never used', () => {
    const root = newFolder();
    const stored = writeLog(
      root,
      Array.from({ length: 10 }, (_, i) => message(i)),
    );
    settle(root, 'crash');
    writeLogFile(root, LOG_FILE_BYTES, Buffer.alloc(LOG_FILE_BYTES));
    const { maxOffset } = recoverStore(smallConfig(root), clock);
    const last = stored.at(-1)!;
    expect(maxOffset).toBe(last.physicalOffset + last.sizeBytes);
    expect(readdirSync(join(root, 'commitlog'))).toHaveLength(1);
  });
});

describe('report 8: a crash before the queues were written', () => {
  it('enters every record once, whichever file it is in, and goes on without a gap', () => {
    const root = newFolder();
    const stored = writeLog(
      root,
      Array.from({ length: 200 }, (_, i) => message(i)),
    );
    settle(root, 'crash');
    // The queues on disk are as they were when the log had three files less.
    for (const queue of ['T/0', 'T/1']) {
      const folder = join(root, 'consumequeue', queue);
      const names = readdirSync(folder).sort();
      for (const name of names.slice(2)) unlinkSync(join(folder, name));
      patch(join(folder, names[1]!), 200, Buffer.alloc(200));
    }
    rmSync(join(root, 'storeSummary.json'));
    const opened = openStore(smallConfig(root), clock);
    expect(readAll(root, opened, []).queues).toEqual(contentOf(stored).queues);
    expect(opened.state.queueOffsets.get('T-1')).toBe(100);
    close(opened);
  });
});

describe('report 20: the last file of a queue is lost', () => {
  it.each(['clean', 'crash'] as const)(
    'is built again after a %s stop, and nothing else is touched',
    (stop) => {
      const root = newFolder();
      const stored = writeLog(
        root,
        Array.from({ length: 200 }, (_, i) => message(i)),
      );
      settle(root, stop);
      const before = newFolder();
      cpSync(root, before, { recursive: true });
      const folder = join(root, 'consumequeue/T/1');
      unlinkSync(join(folder, readdirSync(folder).sort().at(-1)!));
      const opened = openStore(smallConfig(root), clock);
      expect(readAll(root, opened, []).queues).toEqual(contentOf(stored).queues);
      close(opened);
      for (const name of readdirSync(join(before, 'consumequeue'), {
        recursive: true,
      }) as string[]) {
        if (!/\d{20}$/.test(name)) continue;
        const [is, was] = [root, before].map((at) => readFileSync(join(at, 'consumequeue', name)));
        expect([name, is?.equals(was!)]).toEqual([name, true]);
      }
    },
  );
});

describe('report 21: the queues of a deleted topic', () => {
  it('stay away after kill -9, and a topic made again begins at 0', () => {
    const root = newFolder();
    const items = [...Array(30).keys()].map((i) => message(i, i % 3 === 0 ? 'gone' : 'T', 0));
    const stored = writeLog(root, items);
    settle(root, 'crash');
    const opened = openStore(smallConfig(root), clock);
    const { table, index, deletedTopics, state } = opened;
    const bounds = () => ({ minOffset: state.minOffset, maxOffset: state.maxOffset });
    const summarizer = new StoreSummarizer(root, table, index, deletedTopics, bounds);
    expect(summarizer.deleteTopics(['gone']).map((queue) => queue.queueId)).toEqual([0]);
    expect(existsSync(join(root, 'consumequeue/gone'))).toBe(false);
    close(opened);

    const again = openStore(smallConfig(root), clock);
    expect(again.state.queueOffsets.has('gone-0')).toBe(false);
    expect(again.state.queueOffsets.get('T-0')).toBe(20);
    close(again);

    const last = stored.at(-1)!;
    const end = last.physicalOffset + last.sizeBytes;
    patch(logPath(root, 0), end, encodeRecord(message(30, 'gone', 0), 0, end, 30));
    const third = openStore(smallConfig(root), clock);
    expect(third.state.queueOffsets.get('gone-0')).toBe(1);
    expect(readAll(root, third, []).queues['gone-0']).toEqual([message(30, 'gone', 0).body]);
    close(third);
  });

  it('keeps a topic that was made again without us knowing, at its new offsets', () => {
    // Java deletes the queues and leaves no trace; the log has both lives of the topic.
    const root = newFolder();
    const first = Array.from({ length: 20 }, (_, i) => message(i, 'T', 0));
    const stored = writeLog(root, first);
    let end = stored.at(-1)!.physicalOffset + stored.at(-1)!.sizeBytes;
    const second = Array.from({ length: 3 }, (_, i) => message(100 + i, 'T', 0));
    for (const [i, item] of second.entries()) {
      const record = encodeRecord(item, i, end, 100 + i);
      patch(logPath(root, 0), end, record);
      end += record.length;
    }
    const opened = openStore(smallConfig(root), clock);
    close(opened);
    rmSync(join(root, 'consumequeue'), { recursive: true });
    const again = openStore(smallConfig(root), clock);
    expect(readAll(root, again, []).queues['T-0']).toEqual(second.map(({ body }) => body));
    close(again);
  });
});

describe('report 2 (and R4): a crash in the middle of healing', () => {
  it('begins the rebuild of a queue again when only half of it was done', () => {
    const root = newFolder();
    const stored = writeLog(
      root,
      Array.from({ length: 200 }, (_, i) => message(i)),
    );
    settle(root, 'clean');
    rmSync(join(root, 'consumequeue/T/0'), { recursive: true });
    const summary = JSON.parse(
      // The rebuild was announced, and a first file of the queue was written before the crash.
      JSON.stringify({
        version: 1,
        isClean: false,
        logMinOffset: 0,
        logMaxOffset: 0,
        queues: {},
        indexFiles: {},
        deletedTopics: {},
        rebuild: ['T/0'],
      }),
    ) as object;
    writeFileSync(join(root, 'storeSummary.json'), JSON.stringify(summary));
    mkdirSync(join(root, 'consumequeue/T/0'), { recursive: true });
    writeFileSync(join(root, 'consumequeue/T/0', '0'.repeat(20)), Buffer.alloc(400));
    const opened = openStore(smallConfig(root), clock);
    expect(readAll(root, opened, []).queues).toEqual(contentOf(stored).queues);
    close(opened);
  });
});

describe('holes (reliability 2.3)', () => {
  it('cuts a log whose unflushed pages were lost in a power cut, and leaves no gap', () => {
    const root = newFolder();
    const stored = writeLog(
      root,
      Array.from({ length: 100 }, (_, i) => message(i)),
    );
    settle(root, 'crash');
    // Two pages of the second file never reached the disk; what is behind them did.
    patch(logPath(root, LOG_FILE_BYTES), 4_096, Buffer.alloc(8_192));
    const opened = openStore(smallConfig(root), clock);
    const kept = stored.filter(
      ({ physicalOffset, sizeBytes }) => physicalOffset + sizeBytes <= LOG_FILE_BYTES + 4_096,
    );
    expect(opened.state.maxOffset).toBe(kept.at(-1)!.physicalOffset + kept.at(-1)!.sizeBytes);
    expect(readAll(root, opened, []).queues).toEqual(contentOf(kept).queues);
    close(opened);
  });

  it('keeps what is behind such a hole when all of it had been flushed', () => {
    const root = newFolder();
    const stored = writeLog(
      root,
      Array.from({ length: 100 }, (_, i) => message(i)),
    );
    settle(root, 'clean');
    patch(logPath(root, LOG_FILE_BYTES), 4_096, Buffer.alloc(8_192));
    const opened = openStore(smallConfig(root), clock);
    const found = readAll(root, opened, []).queues;
    for (const { topic, queueId, queueOffset, body, physicalOffset, sizeBytes } of stored) {
      const isLost =
        physicalOffset < LOG_FILE_BYTES + 12_288 &&
        physicalOffset + sizeBytes > LOG_FILE_BYTES + 4_096;
      expect(found[`${topic}-${queueId}`]?.[queueOffset]).toBe(isLost ? null : body);
    }
    expect(opened.state.holes).toHaveLength(1);
    close(opened);
  });

  it('keeps the places of lost records when the queue has to be built anew', () => {
    const root = newFolder();
    const stored = writeLog(
      root,
      Array.from({ length: 100 }, (_, i) => message(i)),
    );
    settle(root, 'clean');
    patch(logPath(root, 0), stored[10]!.physicalOffset, Buffer.alloc(8));
    rmSync(join(root, 'consumequeue'), { recursive: true });
    const opened = openStore(smallConfig(root), clock);
    const found = readAll(root, opened, []).queues;
    for (const { topic, queueId, queueOffset, body } of stored) {
      const expected = body === stored[10]!.body ? null : body;
      expect(found[`${topic}-${queueId}`]?.[queueOffset]).toBe(expected);
    }
    close(opened);
  });
});

describe('a quiet queue, far behind what a start looks at', () => {
  function quietStore(stop: 'clean' | 'crash') {
    const root = newFolder();
    const stored = writeLog(root, messages(300));
    settle(root, stop);
    if (stop === 'crash') {
      // The checkpoint says that all but the last file is done.
      const checkpoint = Buffer.alloc(4_096);
      for (const at of [0, 8]) checkpoint.writeBigInt64BE(BigInt(FIRST_STORE_TIME + 1e9), at);
      writeFileSync(join(root, 'checkpoint'), checkpoint);
    }
    const open = () => openStore(smallConfig(root), clock, null, 0);
    return { root, stored, open, folder: join(root, 'consumequeue/Q/0') };
  }

  it.each(['clean', 'crash'] as const)(
    'is missed by what the summary says after a %s stop',
    (stop) => {
      const { root, stored, open, folder } = quietStore(stop);
      const last = readdirSync(folder).sort().at(-1) ?? '';
      unlinkSync(join(folder, last));
      const opened = open();
      expect(opened.state.rebuiltQueues).toEqual(['Q/0']);
      expect(readAll(root, opened, []).queues).toEqual(contentOf(stored).queues);
      close(opened);
    },
  );

  it('is built again when its last entry would keep all new ones out', () => {
    const { root, stored, open, folder } = quietStore('clean');
    const path = join(folder, String(800).padStart(20, '0'));
    // Entry 59 now points a little before the end of the log.
    const end = stored.at(-1)!.physicalOffset;
    const offset = Buffer.alloc(8);
    offset.writeBigInt64BE(BigInt(end - 10));
    patch(path, 19 * 20, offset);
    const opened = open();
    expect(opened.state.rebuiltQueues).toEqual(['Q/0']);
    expect(opened.table.find('Q', 0)?.maxPhysicOffset).toBeLessThan(LOG_FILE_BYTES * 3);
    expect(readAll(root, opened, []).queues).toEqual(contentOf(stored).queues);
    close(opened);
  });

  it('has a wrong entry mended when somebody reads it', () => {
    const { root, stored, open, folder } = quietStore('clean');
    patch(join(folder, '0'.repeat(20)), 5 * 20 + 6, Uint8Array.of(0x55, 0x55));
    const opened = open();
    expect(opened.state.damagedRecords).toBe(0);
    const found = readAll(root, opened, []);
    expect(found.queues).toEqual(contentOf(stored).queues);
    expect(found.damagedReads).toBeGreaterThan(0);
    close(opened);
  });
});

// What CommitLog writes against whole logs that a Java 4.9.7 broker wrote.

import { afterEach, expect, test } from 'vitest';
import { decodeMessage } from '../../../src/message/message-decoder.js';
import { BLANK_MAGIC, readInt32 } from '../../../src/message/message-layout.js';
import { AppendRequest, type CommitLog } from '../../../src/store/commitlog/commit-log.js';
import { PutMessageStatus } from '../../../src/store/put-message.js';
import {
  type GoldenName,
  goldenConfig,
  newFolder,
  removeFolders,
  unpack,
} from '../golden-store.js';
import { logFile, logFileNames, openLog } from '../log-fixture.js';

afterEach(removeFolders);

/** Appends every record of a log file again; the end of its records. */
function replay(file: Buffer, log: CommitLog): number {
  let position = 0;
  while (position + 8 <= file.length) {
    const size = readInt32(file, position);
    if (size === 0 || readInt32(file, position + 4) === BLANK_MAGIC) break;
    const message = decodeMessage(file, position);
    if (message === null) throw new Error(`no record at ${position}`);
    const request = new AppendRequest();
    request.topic = message.topic;
    request.queueId = message.queueId;
    request.flag = message.flag;
    request.sysFlag = message.sysFlag & ~0x30;
    request.bornTimestamp = message.bornTimestamp;
    request.bornHost = message.bornHost.address;
    request.bornPort = message.bornHost.port;
    request.storeHost = message.storeHost.address;
    request.storePort = message.storeHost.port;
    request.reconsumeTimes = message.reconsumeTimes;
    request.preparedTransactionOffset = message.preparedTransactionOffset;
    // The stored body, whatever compression it has.
    request.body = file;
    request.bodyStart = position + 88 + 12 * v6Hosts(message.sysFlag);
    request.bodyLength = readInt32(file, request.bodyStart - 4);
    request.properties = Buffer.from(message.propertiesText, 'utf8');
    request.propertiesLength = request.properties.length;
    log.beginBatch(message.storeTimestamp);
    expect(log.append(request)).toBe(PutMessageStatus.PUT_OK);
    expect(log.lastWroteEnd - log.lastPhysicalOffset).toBe(size);
    position += size;
  }
  return position;
}

function v6Hosts(sysFlag: number): number {
  return ((sysFlag >> 4) & 1) + ((sysFlag >> 5) & 1);
}

test.each<GoldenName>(['main', 'kill9', 'sql', 'v6', 'ha-master'])(
  'the log of the golden store %s is written again byte for byte',
  (name) => {
    const golden = unpack(name);
    const { mappedFileSizeCommitLog } = goldenConfig(name, newFolder());
    const names = logFileNames(golden);
    const { root, log } = openLog({ mappedFileSizeCommitLog });
    const ends = names.map((fileName) => replay(logFile(golden, fileName), log));
    const written = names.filter((_, i) => (ends[i] ?? 0) > 0);
    expect(written.length).toBeGreaterThan(0);
    log.close();
    expect(logFileNames(root)).toEqual(written);
    for (const fileName of written) {
      expect(logFile(root, fileName).equals(logFile(golden, fileName)), fileName).toBe(true);
    }
  },
);

// The transactions of the golden run: what Java's broker stored for a commit, a rollback, two checks and a long immunity.

import { createHash } from 'node:crypto';
import { parseHostPort } from '../../../src/base/net-address.js';
import { encodeMessage } from '../../../src/message/message-encoder.js';
import type { MessageToPut } from '../../../src/store/message-store.js';
import { goldenJson } from '../../golden-data.js';
import { recordOf } from './record-store.js';

export interface GoldenRecord {
  readonly off: number;
  readonly queueId: number;
  readonly flag: number;
  readonly queueOffset: number;
  readonly sysFlag: number;
  readonly born: number;
  readonly bornHost: string;
  readonly store: number;
  readonly storeHost: string;
  readonly reconsume: number;
  readonly preparedOffset: number;
  readonly topic: string;
  readonly bodyHex: string;
  readonly propsRaw: string;
  readonly recordSha256: string;
}

interface Golden {
  readonly stores: Record<string, { dump: { messages: GoldenRecord[] } }>;
}

const records = goldenJson<Golden>('golden.json').stores['main']?.dump.messages ?? [];

export function goldenRecord(physicalOffset: number): GoldenRecord {
  const found = records.find((it) => it.off === physicalOffset);
  if (found === undefined) throw new Error(`no golden record at ${physicalOffset}`);
  return found;
}

/** The bytes of a golden record; it is an error when they are not Java's. */
export function goldenBytes(physicalOffset: number): Buffer {
  const it = goldenRecord(physicalOffset);
  const bytes = encodeMessage({
    topic: it.topic,
    queueId: it.queueId,
    flag: it.flag,
    queueOffset: it.queueOffset,
    physicalOffset: it.off,
    sysFlag: it.sysFlag,
    bornTimestamp: it.born,
    bornHost: parseHostPort(it.bornHost.slice(1)),
    storeTimestamp: it.store,
    storeHost: parseHostPort(it.storeHost.slice(1)),
    reconsumeTimes: it.reconsume,
    preparedTransactionOffset: it.preparedOffset,
    body: Buffer.from(it.bodyHex, 'hex'),
    propertiesText: it.propsRaw,
  });
  if (sha256(bytes) !== it.recordSha256) throw new Error(`record ${physicalOffset} differs`);
  return bytes;
}

/** The sum of the record that a message becomes where the golden one lies. */
export function sumAt(message: MessageToPut, golden: GoldenRecord): string {
  const { off: physicalOffset, queueOffset, store: storeTimestamp } = golden;
  return sha256(recordOf(message, { physicalOffset, queueOffset, storeTimestamp }));
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

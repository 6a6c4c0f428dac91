// Bug report 7: bodies that held frames of other connections. Many connections mix large sends and pulls, cut anywhere, through a whole
// broker; every body says whose it is in each of its words.

import { afterEach, describe, expect, it } from 'vitest';
import { type Prng, seededPrng } from '../../src/base/prng.js';
import type { RunningBroker } from '../../src/broker/main.js';
import { decodeMessages } from '../../src/message/message-decoder.js';
import { encodeFrame } from '../../src/protocol/frame-codec.js';
import { createRequest, type RemotingCommand } from '../../src/protocol/remoting-command.js';
import { RequestCode } from '../../src/protocol/request-code.js';
import { RawConnection } from '../support/raw-connection.js';
import { runBroker, type TestFolder, testFolder } from '../support/running-broker.js';
import { WireClient } from '../support/wire-client.js';

const SEED = 20_261_201;
const CONNECTIONS = 24;
const SENDS_EACH = 20;
const QUEUES = 4;
const MAX_BODY_WORDS = 24 * 1024;
const MAX_CHUNK_BYTES = 64 * 1024;
const TOPIC = 'foreign-bytes';

let folder: TestFolder | null = null;
let broker: RunningBroker | null = null;

afterEach(async () => {
  await broker?.shutdown();
  folder?.remove();
  broker = null;
  folder = null;
});

/** Connection and number in every word. */
function ownBody(connection: number, number: number, words: number): Buffer {
  const body = Buffer.alloc(words * 4);
  body.fill(Buffer.from([0xc0 | (number & 0x3f), connection, number, 0x5a]));
  return body;
}

/** "connection-number" of a body that is one sender's alone; its foreign bytes otherwise. */
function ownerOf(body: Buffer): string {
  const [, connection = -1, number = -1] = body;
  const own = ownBody(connection, number, body.length / 4);
  if (body.equals(own)) return `${connection}-${number}`;
  const at = body.findIndex((byte, i) => byte !== own[i]);
  return `foreign bytes at ${at} of ${body.length}: ${body.toString('latin1', at, at + 80)}`;
}

function sendFrame(connection: number, number: number, prng: Prng): RemotingCommand {
  const fields = {
    a: 'producers',
    b: TOPIC,
    c: 'TBW102',
    d: String(QUEUES),
    e: String(prng.nextInt(QUEUES)),
    f: '0',
    g: '1700000000000',
    h: '0',
    i: `KEYS\u0001${connection}-${number}`,
    j: '0',
  };
  const body = ownBody(connection, number, 1 + prng.nextInt(MAX_BODY_WORDS));
  return createRequest(RequestCode.SEND_MESSAGE_V2, fields, body);
}

function pullFrame(prng: Prng): RemotingCommand {
  const fields = {
    consumerGroup: 'consumers',
    topic: TOPIC,
    queueId: String(prng.nextInt(QUEUES)),
    queueOffset: String(prng.nextInt(20)),
    maxMsgNums: '8',
    sysFlag: '4',
    commitOffset: '0',
    suspendTimeoutMillis: '0',
    subscription: '*',
    subVersion: '0',
    expressionType: 'TAG',
  };
  return createRequest(RequestCode.PULL_MESSAGE, fields);
}

interface Seen {
  /** Owners of the bodies that were acknowledged. */
  readonly acknowledged: Set<string>;
  /** Owners, or complaints, of the bodies that pulls brought. */
  readonly pulled: Set<string>;
}

async function talk(connection: RawConnection, id: number, prng: Prng, seen: Seen): Promise<void> {
  const requests = Array.from({ length: SENDS_EACH }, (_, number) => [
    sendFrame(id, number, prng),
    pullFrame(prng),
  ]).flat();
  const answers = requests.map(async (request, i) => {
    request.opaque = i + 1;
    const answer = await connection.answerTo(request.opaque);
    if (request.body !== null) {
      expect(answer.code).toBe(0);
      seen.acknowledged.add(ownerOf(request.body));
    } else if (answer.body !== null) {
      for (const { body } of decodeMessages(answer.body)) seen.pulled.add(ownerOf(body));
    }
  });
  const bytes = Buffer.concat(requests.map(encodeFrame));
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + prng.nextInt(MAX_CHUNK_BYTES);
    await connection.write(bytes.subarray(at, end));
    at = end;
  }
  await Promise.all(answers);
}

async function storedOwners(port: number): Promise<string[]> {
  const client = new WireClient(port);
  const owners: string[] = [];
  for (let queueId = 0; queueId < QUEUES; queueId++) {
    const maxOffset = await client.maxOffset(TOPIC, queueId);
    for (let next = 0; next < maxOffset; ) {
      const { messages, nextBeginOffset } = await client.pull('readers', TOPIC, queueId, next);
      for (const { body, properties } of messages) {
        const owner = ownerOf(body);
        expect(properties.get('KEYS')).toBe(owner);
        owners.push(owner);
      }
      expect(nextBeginOffset).toBeGreaterThan(next);
      next = nextBeginOffset;
    }
  }
  client.close();
  return owners;
}

describe('many connections that mix large sends and pulls', () => {
  it.each(['dedicated', 'inline'] as const)(
    'never get into each other’s bodies (%s)',
    async (mode) => {
      folder = testFolder();
      broker = await runBroker(folder, mode, { waitTimeMillsInSendQueue: '20000' });
      const port = broker.listenPort;
      const seen: Seen = { acknowledged: new Set(), pulled: new Set() };
      const ids = Array.from({ length: CONNECTIONS }, (_, id) => id);
      const connections = await Promise.all(ids.map(() => RawConnection.open(port)));
      await Promise.all(connections.map((it, id) => talk(it, id, seededPrng(SEED + id), seen)));
      for (const connection of connections) connection.close();
      const everybody = ids.flatMap((id) =>
        Array.from({ length: SENDS_EACH }, (_, number) => `${id}-${number}`),
      );
      const { acknowledged, pulled } = seen;
      expect([...acknowledged].sort()).toEqual([...everybody].sort());
      expect([...pulled].filter((owner) => !acknowledged.has(owner))).toEqual([]);
      expect(pulled.size).toBeGreaterThan(0);
      await expect
        .poll(() => storedOwners(port).then((all) => all.sort()), { timeout: 20_000 })
        .toEqual([...everybody].sort());
    },
    60_000,
  );
});

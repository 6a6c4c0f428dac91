// Headers where they lie: HeaderScan against decoding, SendProperties, FrameWriter, BytesTable.

import { decodeProperties, encodeProperties } from '#dist/message/message-properties.js';
import { BytesTable } from '#dist/processor/bytes-table.js';
import { FrameWriter } from '#dist/processor/frame-writer.js';
import { FieldNames, HeaderScan } from '#dist/processor/header-scan.js';
import { SendProperties } from '#dist/processor/send-properties.js';
import { decodeFrame, encodeFrame } from '#dist/protocol/frame-codec.js';
import { createResponse, SerializeType } from '#dist/protocol/remoting-command.js';
import { keep, mustEqual, type Trial, trial } from './harness.js';
import { PROPERTIES, sendCommand, TOPIC } from './samples.js';

const NAMES = new FieldNames(['b', 'e', 'f', 'g', 'h', 'i', 'j', 'm'].map((name) => [name]));
const TOPIC_FIELD = 0;
const QUEUE_FIELD = 1;
const BODY_BYTES = 256;
const MESSAGE_ID_PREFIX = '7F00000100002A9F';
/** The brokers of a small firm have about so many topics. */
const TOPICS = 400;

await trial('one header of a send, a body of 256 bytes behind it', async (run) => {
  const body = run.bytes(BODY_BYTES);
  await requests(run, body);
  await properties(run);
  await responses(run);
  await tables(run);
});

async function requests(run: Trial, body: Buffer): Promise<void> {
  const json = encodeFrame(sendCommand(body));
  const binary = encodeFrame(sendCommand(body, SerializeType.ROCKETMQ));
  const headerEnd = 8 + json.readUIntBE(5, 3);
  const scan = new HeaderScan(NAMES);
  mustEqual('scan', scan.scan(json, 0, json.length) && scan.text(TOPIC_FIELD), TOPIC);
  mustEqual('scan', scan.scan(binary, 0, binary.length) && scan.text(TOPIC_FIELD), TOPIC);
  const ops = run.scale(500, 2);
  const times = (work: () => unknown) => () => {
    for (let i = 0; i < ops; i++) keep(work());
  };
  const scanOf = (frame: Buffer) => () =>
    scan.scan(frame, 0, frame.length) && scan.integer(QUEUE_FIELD) + scan.fieldStart(TOPIC_FIELD);
  await run.group('read the header of a request', [
    {
      name: 'JSON.parse',
      ops,
      isBaseline: true,
      fn: times(() => JSON.parse(json.toString('utf8', 8, headerEnd))),
    },
    { name: 'decodeFrame, JSON', ops, fn: times(() => decodeFrame(json)) },
    { name: 'decodeFrame, ROCKETMQ', ops, fn: times(() => decodeFrame(binary)) },
    { name: 'HeaderScan, JSON', ops, fn: times(scanOf(json)) },
    { name: 'HeaderScan, ROCKETMQ', ops, fn: times(scanOf(binary)) },
  ]);
}

async function properties(run: Trial): Promise<void> {
  const text = Buffer.from(run.input(PROPERTIES), 'utf8');
  const send = new SendProperties('DefaultCluster');
  const ops = run.scale(500, 2);
  await run.group('the properties of a send as they are stored', [
    {
      name: 'decodeProperties, encodeProperties',
      ops,
      isBaseline: true,
      fn: () => {
        for (let i = 0; i < ops; i++) {
          const map = decodeProperties(text.toString('utf8'));
          map.delete('WAIT');
          map.set('CLUSTER', 'DefaultCluster');
          keep(Buffer.from(encodeProperties(map), 'utf8'));
        }
      },
    },
    {
      name: 'SendProperties',
      ops,
      fn: () => {
        for (let i = 0; i < ops; i++) send.read(text, 0, text.length, false);
      },
    },
  ]);
}

async function responses(run: Trial): Promise<void> {
  const target = Buffer.alloc(4096);
  const writer = new FrameWriter();
  const positions = [123_456_789];
  const write = (serializeType: number, i: number): number => {
    writer.begin(target, 0, serializeType, 0, i, '');
    writer.textField('MSG_REGION', 'DefaultRegion');
    writer.textField('TRACE_ON', 'true');
    writer.messageIdsField('msgId', MESSAGE_ID_PREFIX, positions, 1);
    writer.integerField('queueId', 1);
    writer.integerField('queueOffset', i);
    return writer.end(i, '', 0);
  };
  const request = sendCommand(Buffer.alloc(0));
  const encode = (i: number): Buffer => {
    const response = createResponse(request, 0);
    response.opaque = i;
    response.extFields = {
      MSG_REGION: 'DefaultRegion',
      TRACE_ON: 'true',
      msgId: MESSAGE_ID_PREFIX + (positions[0] ?? 0).toString(16).toUpperCase().padStart(16, '0'),
      queueId: '1',
      queueOffset: String(i),
    };
    return encodeFrame(response);
  };
  const size = write(0, 7);
  mustEqual(
    'response',
    { ...decodeFrame(target.subarray(0, size)) },
    { ...decodeFrame(encode(7)) },
  );
  const ops = run.scale(500, 2);
  const times = (work: (i: number) => unknown) => () => {
    for (let i = 0; i < ops; i++) keep(work(i));
  };
  await run.group('write the response to a send', [
    { name: 'createResponse and encodeFrame, JSON', ops, isBaseline: true, fn: times(encode) },
    { name: 'FrameWriter, JSON', ops, fn: times((i) => write(0, i)) },
    { name: 'FrameWriter, ROCKETMQ', ops, fn: times((i) => write(1, i)) },
  ]);
}

async function tables(run: Trial): Promise<void> {
  const names = Array.from({ length: TOPICS }, (_, i) => `Topic-of-a-team-${i}`);
  const bytes = names.map((name) => Buffer.from(run.input(name), 'utf8'));
  const table = new BytesTable<number>();
  const map = new Map<string, number>();
  names.forEach((name, i) => {
    table.set(name, i);
    map.set(name, i);
  });
  await run.group(`find one of ${TOPICS} topics by its bytes`, [
    {
      name: 'toString and Map.get',
      ops: TOPICS,
      isBaseline: true,
      fn: () => {
        for (const name of bytes) keep(map.get(name.toString('utf8')));
      },
    },
    {
      name: 'BytesTable.get',
      ops: TOPICS,
      fn: () => {
        for (const name of bytes) keep(table.get(name, 0, name.length));
      },
    },
  ]);
}

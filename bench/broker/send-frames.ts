// The frames of one connection: one for each place in its window, encoded once by the protocol's own encoder. Only the born timestamp
// and, in the body, the time of sending change. A place's opaque says which response belongs to it.

import { encodeBatchBody } from '#dist/message/batch-codec.js';
import { decodeProperties } from '#dist/message/message-properties.js';
import { encodeFrame } from '#dist/protocol/frame-codec.js';
import { SerializeType } from '#dist/protocol/remoting-command.js';
import { RequestCode } from '#dist/protocol/request-code.js';
import { PROPERTIES, sendCommand } from '../samples.js';

/** Ten digits wherever they stand, so that every frame has the same length. */
export const FIRST_OPAQUE = 1_000_000_000;
const OPAQUE_KEY = Buffer.from('"opaque":', 'latin1');

export interface SendFrameOptions {
  readonly topic: string;
  readonly queues: number;
  readonly bodyBytes: number;
  /** Messages in one request; 1 sends them singly. */
  readonly batch: number;
  readonly serialize: 'json' | 'rocketmq';
  readonly window: number;
  /** Properties of the place's message, if not those of all benches; not of a batch. */
  readonly propertiesOf?: (slot: number) => string;
  readonly sysFlag?: number;
}

export function makeSendFrames(options: SendFrameOptions): Buffer[] {
  const { topic, queues, bodyBytes, batch, serialize, window } = options;
  const single = Buffer.alloc(bodyBytes, 'comet');
  const properties = decodeProperties(PROPERTIES);
  const body =
    batch === 1
      ? single
      : encodeBatchBody(
          Array.from({ length: batch }, () => ({ flag: 0, body: single, properties })),
        );
  return Array.from({ length: window }, (_, slot) => {
    const command = sendCommand(
      body,
      serialize === 'json' ? SerializeType.JSON : SerializeType.ROCKETMQ,
      {
        b: topic,
        e: String(slot % queues),
        g: String(Date.now()),
        f: String(options.sysFlag ?? 0),
        ...(options.propertiesOf ? { i: options.propertiesOf(slot) } : {}),
        ...(batch === 1 ? {} : { i: '', m: 'true' }),
      },
    );
    if (batch > 1) command.code = RequestCode.SEND_BATCH_MESSAGE;
    command.opaque = FIRST_OPAQUE + slot;
    return encodeFrame(command);
  });
}

/** The place in the window that a response answers; -1 for another frame. */
export function slotOf(response: Buffer): number {
  if (response[4] === SerializeType.ROCKETMQ) return response.readInt32BE(13) - FIRST_OPAQUE;
  const at = response.indexOf(OPAQUE_KEY, 8);
  if (at < 0) return -1;
  let opaque = 0;
  for (let i = at + OPAQUE_KEY.length; ; i++) {
    const digit = (response[i] ?? 0) - 48;
    if (digit < 0 || digit > 9) return opaque - FIRST_OPAQUE;
    opaque = opaque * 10 + digit;
  }
}

// One connection that asks and awaits answers, for what is not the load itself or is not often.

import { decodeFrame, encodeFrame } from '#dist/protocol/frame-codec.js';
import { createRequest, type RemotingCommand } from '#dist/protocol/remoting-command.js';
import { RequestCode } from '#dist/protocol/request-code.js';
import { FrameSocket } from './frame-socket.js';
import type { Target } from './peers.js';

const SUCCESS = 0;

export class WireClient {
  readonly #waiting = new Map<number, (answer: RemotingCommand) => void>();
  #socket: FrameSocket | null = null;
  #opaque = 1;

  static async open({ host, port }: Target): Promise<WireClient> {
    const self = new WireClient();
    const onFrame = (frame: Buffer) => self.#onFrame(frame);
    self.#socket = await FrameSocket.open(port, onFrame, () => {}, host);
    return self;
  }

  /** The body of the answer is valid until the next turn of the event loop only. */
  invoke(
    code: number,
    fields: Readonly<Record<string, string>>,
    body: Buffer | null = null,
  ): Promise<RemotingCommand> {
    const command = createRequest(code, { ...fields }, body);
    command.opaque = this.#opaque++;
    return new Promise((resolve) => {
      this.#waiting.set(command.opaque, resolve);
      this.#socket?.send(encodeFrame(command));
      this.#socket?.flush();
    });
  }

  /** Messages in all queues of a topic that lost none. */
  async messagesOf(topic: string, queues: number): Promise<number> {
    const answers = await Promise.all(
      Array.from({ length: queues }, (_, queueId) =>
        this.invoke(RequestCode.GET_MAX_OFFSET, { topic, queueId: String(queueId) }),
      ),
    );
    return answers.reduce((sum, { code, remark, extFields }) => {
      if (code !== SUCCESS) throw new Error(`the broker answered ${code}: ${remark}`);
      return sum + Number(extFields?.['offset'] ?? 0);
    }, 0);
  }

  close(): void {
    this.#socket?.close();
  }

  #onFrame(frame: Buffer): void {
    const answer = decodeFrame(frame);
    const resolve = this.#waiting.get(answer.opaque);
    // A request of the broker: nothing here answers those.
    if (resolve === undefined || (answer.flag & 1) === 0) return;
    this.#waiting.delete(answer.opaque);
    resolve(answer);
  }
}

// One connection of the load: frames out together, frames in by the protocol's cutter.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { FrameCutter } from '#dist/protocol/frame-cutter.js';

export class FrameSocket {
  readonly #socket: Socket;
  readonly #cutter = new FrameCutter();
  #out: Buffer[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** @param onFrame valid during the call. @param onChunk after the frames of one read. */
  static async open(
    port: number,
    onFrame: (frame: Buffer) => void,
    onChunk: () => void,
    host = '127.0.0.1',
  ): Promise<FrameSocket> {
    const socket = connect({ port, host, noDelay: true });
    await once(socket, 'connect');
    const self = new FrameSocket(socket);
    socket.on('data', (chunk) => {
      self.#cutter.push(chunk, onFrame);
      onChunk();
      self.flush();
    });
    socket.on('error', (error) => {
      throw error;
    });
    return self;
  }

  /** The frame is copied at the next flush. */
  send(frame: Buffer): void {
    this.#out.push(frame);
  }

  flush(): void {
    if (this.#out.length === 0) return;
    const [first] = this.#out;
    this.#socket.write(
      this.#out.length === 1 && first ? Buffer.from(first) : Buffer.concat(this.#out),
    );
    this.#out = [];
  }

  close(): void {
    this.#socket.removeAllListeners('data');
    this.#socket.destroy();
  }
}

// Test support: one connection on which a test writes frames as bytes, as they are and cut where it likes, and waits for the answers.

import { connect, type Socket } from 'node:net';
import { decodeFrame } from '../../src/protocol/frame-codec.js';
import { FrameCutter } from '../../src/protocol/frame-cutter.js';
import type { RemotingCommand } from '../../src/protocol/remoting-command.js';

export class RawConnection {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (answer: RemotingCommand) => void>();
  isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const cutter = new FrameCutter();
    socket.on('data', (chunk: Buffer) => {
      cutter.push(chunk, (frame) => this.#arrived(decodeFrame(Buffer.from(frame))));
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  static open(port: number, localAddress = '127.0.0.1'): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new RawConnection(socket)));
    });
  }

  /** Ends when the bytes are with the kernel, so that the next ones are another chunk. */
  write(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  answerTo(opaque: number): Promise<RemotingCommand> {
    return new Promise((resolve) => this.#waiting.set(opaque, resolve));
  }

  close(): void {
    this.#socket.destroy();
  }

  #arrived(answer: RemotingCommand): void {
    this.#waiting.get(answer.opaque)?.(answer);
    this.#waiting.delete(answer.opaque);
  }
}

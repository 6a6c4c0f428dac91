// Room: store. HA thread of a master. One slave: reads its reports, sends it the log from where it ends. Follows Java's HAConnection
// (storage.md 22.3) on the wire.
//
// Unlike Java's, every report is checked, the first one too (bug report 5): one that lies beyond the master's log, beyond what was
// sent, or behind an earlier one closes the connection and counts for nothing. A slave that can not be served, because it holds more
// than its master or less than its master has kept, is told so by a closed connection, not by heartbeats without end (bug report 22).
//
// Always holds: acked <= sent <= end of the log; a frame lies in one file.

import type { Clock } from '../../base/clock.js';
import type { LogView } from '../get/log-view.js';
import { HA_FRAME_HEADER_BYTES, HaReportReader, writeFrameHeader } from './ha-frame.js';
import type { HaTransport } from './ha-transport.js';

/** Frames of one duty cycle, so that slaves and timers get their share. */
const FRAMES_PER_TURN = 64;

export interface HaMasterConfig {
  readonly haTransferBatchSize: number;
  readonly haSendHeartbeatInterval: number;
  readonly haHousekeepingInterval: number;
}

export interface HaConnectionOptions {
  readonly transport: HaTransport;
  /** Refreshed by the owner once a turn. */
  readonly log: LogView;
  readonly clock: Clock;
  readonly config: HaMasterConfig;
  /** Room for one frame; shared, since a transport keeps nothing. */
  readonly scratch: Buffer;
  /** A report was believed. */
  readonly onAck: (physicalOffset: number) => void;
  /** Called once. `kind` names the reason, `detail` has the numbers. */
  readonly onClosed: (kind: CloseKind, detail: string) => void;
}

export type CloseKind =
  | 'SLAVE_AHEAD'
  | 'SLAVE_TOO_FAR_BEHIND'
  | 'BAD_REPORT'
  | 'SILENT'
  | 'PEER_CLOSED'
  | 'SHUTDOWN';

export class HaConnection {
  /** What the slave holds; -1 before its first report. */
  ackedOffset = -1;
  /** End of what was sent. */
  sentOffset = -1;
  sentBytes = 0;
  isClosed = false;
  readonly #options: HaConnectionOptions;
  readonly #reports = new HaReportReader();
  #lastReadMs: number;
  #lastWriteMs: number;

  constructor(options: HaConnectionOptions) {
    this.#options = options;
    const nowMs = options.clock.monotonicMs();
    this.#lastReadMs = nowMs;
    this.#lastWriteMs = nowMs;
  }

  get remoteAddress(): string {
    return this.#options.transport.remoteAddress;
  }

  /** It has said where it stands, and was believed. */
  get isSlave(): boolean {
    return !this.isClosed && this.ackedOffset >= 0;
  }

  onBytes(chunk: Uint8Array): void {
    this.#lastReadMs = this.#options.clock.monotonicMs();
    this.#reports.push(chunk, (physicalOffset) => {
      if (!this.isClosed) this.#onReport(physicalOffset);
    });
  }

  /** Sends what may be sent now: the number of frames. */
  doWork(nowMs: number): number {
    if (this.isClosed) return 0;
    const { config, transport } = this.#options;
    if (nowMs - this.#lastReadMs > config.haHousekeepingInterval) {
      this.close('SILENT', `no report for ${Math.round(nowMs - this.#lastReadMs)} ms`);
      return 1;
    }
    if (this.sentOffset < 0 || !transport.isWritable) return 0;
    let frames = 0;
    if (nowMs - this.#lastWriteMs > config.haSendHeartbeatInterval) {
      this.#send(0, nowMs);
      frames++;
    }
    while (frames < FRAMES_PER_TURN && transport.isWritable && this.#sendData(nowMs)) frames++;
    return frames;
  }

  hasWork(): boolean {
    return this.isSlave && this.sentOffset < this.#options.log.maxOffset && this.#isWritable();
  }

  /** When doWork() wants to be called though nothing came in. */
  dueMs(): number {
    const { config } = this.#options;
    const silentMs = this.#lastReadMs + config.haHousekeepingInterval + 1;
    if (!this.isSlave) return silentMs;
    return Math.min(silentMs, this.#lastWriteMs + config.haSendHeartbeatInterval + 1);
  }

  close(kind: CloseKind, detail: string): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#options.transport.close();
    this.#options.onClosed(kind, detail);
  }

  #isWritable(): boolean {
    return this.#options.transport.isWritable;
  }

  #onReport(physicalOffset: number): void {
    const { log } = this.#options;
    if (this.ackedOffset < 0) {
      this.#onFirstReport(physicalOffset);
    } else if (physicalOffset > this.sentOffset || physicalOffset < this.ackedOffset) {
      const bounds = `[${this.ackedOffset}, ${this.sentOffset}]`;
      this.close('BAD_REPORT', `${physicalOffset} is outside of ${bounds}`);
    }
    if (this.isClosed) return;
    this.ackedOffset = physicalOffset;
    this.#options.onAck(Math.min(physicalOffset, log.maxOffset));
  }

  #onFirstReport(physicalOffset: number): void {
    const { log } = this.#options;
    log.refresh();
    const { minOffset, maxOffset, fileSizeBytes } = log;
    if (physicalOffset < 0) {
      this.close('BAD_REPORT', `${physicalOffset}`);
    } else if (physicalOffset > maxOffset) {
      this.close('SLAVE_AHEAD', `its log ends at ${physicalOffset}, ours at ${maxOffset}`);
    } else if (physicalOffset > 0 && physicalOffset < minOffset) {
      this.close('SLAVE_TOO_FAR_BEHIND', tooFarBehind(physicalOffset, minOffset));
    } else {
      this.sentOffset =
        physicalOffset === 0 ? maxOffset - (maxOffset % fileSizeBytes) : physicalOffset;
    }
  }

  /** False when there is nothing to send. */
  #sendData(nowMs: number): boolean {
    const { log, config, scratch } = this.#options;
    if (this.sentOffset >= log.maxOffset) return false;
    if (!log.locate(this.sentOffset)) {
      if (this.sentOffset < log.minOffset) {
        this.close('SLAVE_TOO_FAR_BEHIND', tooFarBehind(this.sentOffset, log.minOffset));
      }
      return false;
    }
    const readable = log.limit - log.position;
    const room = scratch.length - HA_FRAME_HEADER_BYTES;
    const size = Math.min(readable, config.haTransferBatchSize, room);
    log.buffer.copy(scratch, HA_FRAME_HEADER_BYTES, log.position, log.position + size);
    this.#send(size, nowMs);
    return true;
  }

  #send(sizeBytes: number, nowMs: number): void {
    const { transport, scratch } = this.#options;
    writeFrameHeader(scratch, this.sentOffset, sizeBytes);
    this.sentOffset += sizeBytes;
    this.sentBytes += sizeBytes;
    this.#lastWriteMs = nowMs;
    transport.send(scratch, 0, HA_FRAME_HEADER_BYTES + sizeBytes);
  }
}

function tooFarBehind(physicalOffset: number, minOffset: number): string {
  return `its log ends at ${physicalOffset}, ours begins at ${minOffset}`;
}

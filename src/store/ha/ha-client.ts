// Room: store. HA thread of a slave, which is the owner of the slave's log: what its master sends is appended as it is. Java's HAClient
// on the wire (storage.md 22.5), with these differences, none of which a Java master minds: the first report leaves at once, not after
// 5 s; a master that is silent for haHousekeepingInterval is left, so that a cut link is noticed; a refused append closes the link.
//
// History is checked on connect: the first report asks for the last bytes of this log once more, and what comes is compared before
// anything is appended. A log with another history, or with more than its master's, is never merged: that is said once a minute, and
// the slave stays as it is until an operator empties it (bug report 22).

import type { Clock } from '../../base/clock.js';
import { getLogger } from '../../base/logger.js';
import type { Agent } from '../../ring/agent.js';
import type { LogView } from '../get/log-view.js';
import { encodeReport, HA_REPORT_BYTES, HaFrameReader } from './ha-frame.js';
import type { HaDial, HaTransport } from './ha-transport.js';
import { LogOnceAMinute } from './log-once-a-minute.js';

const log = getLogger('ha');
const CONNECT_TIMEOUT_MS = 5000;
const RETRY_MS = 5000;
/** After a link that had worked. */
const RECONNECT_MS = 1000;
const NEVER_MS = 600_000;
const HOUSEKEEPING_INTERVAL_MS = 1000;
export const HISTORY_CHECK_BYTES = 16 * 1024;

/** The log as its replicator needs it; CommitLog is one. */
export interface RawLog {
  readonly wroteOffset: number;
  appendRaw(physicalOffset: number, bytes: Uint8Array, start: number, length: number): boolean;
  publishWroteOffset(): void;
  close(): void;
}

export interface HaSlaveConfig {
  readonly haSendHeartbeatInterval: number;
  readonly haHousekeepingInterval: number;
}

export interface HaClientOptions {
  readonly commitLog: RawLog;
  /** The same log, to compare it with what its master has. */
  readonly ownLog: LogView & { close(): void };
  readonly clock: Clock;
  readonly config: HaSlaveConfig;
  readonly dial: HaDial;
  /** How much is compared; 0 for nothing, as Java. */
  readonly historyCheckBytes: number;
  /** More of the log is there. */
  readonly onAppended: () => void;
  /** Work of the log's owner that goes by the clock, about once a second. */
  readonly housekeeping: () => void;
}

export class HaClient implements Agent {
  readonly name = 'ha';
  readonly #options: HaClientOptions;
  readonly #once: LogOnceAMinute;
  #masterAddress: string | null = null;
  #transport: HaTransport | null = null;
  #frames = new HaFrameReader();
  #isConnected = false;
  #hasReceived = false;
  /** Where the next frame has to begin; behind the end of the log while history is compared. */
  #expectedOffset = 0;
  /** Where the last frame was a heartbeat; -1 when it was none. */
  #heartbeatAt = -1;
  #reportedOffset = 0;
  #lastReportMs = 0;
  #lastReadMs = 0;
  #retryAtMs = 0;
  #housekeepingDueMs = 0;

  constructor(options: HaClientOptions) {
    this.#options = options;
    this.#once = new LogOnceAMinute(log, options.clock);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Null: stay with whom we have, as Java when a name server knows of no master. */
  setMaster(address: string | null): void {
    if (address === null || address === this.#masterAddress) return;
    log.info('the master of this slave', { haServerAddr: address });
    this.#masterAddress = address;
    this.#retryAtMs = 0;
    this.#leave('another master was named', 0);
  }

  doWork(): number {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs >= this.#housekeepingDueMs) {
      this.#housekeepingDueMs = nowMs + HOUSEKEEPING_INTERVAL_MS;
      this.#options.housekeeping();
    }
    if (this.#transport === null) return this.#mayDial(nowMs) ? this.#dial(nowMs) : 0;
    const { config } = this.#options;
    const silentMs = nowMs - this.#lastReadMs;
    if (!this.#isConnected) {
      if (silentMs > CONNECT_TIMEOUT_MS) this.#leave('no connection in time', RETRY_MS);
    } else if (silentMs > config.haHousekeepingInterval) {
      this.#leave(`nothing came for ${Math.round(silentMs)} ms`, RECONNECT_MS);
    } else if (nowMs - this.#lastReportMs > config.haSendHeartbeatInterval) {
      this.#report(this.#position(), nowMs);
      return 1;
    }
    return 0;
  }

  hasWork(): boolean {
    return false;
  }

  mayNap(): boolean {
    return true;
  }

  maxSleepMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    return Math.max(0, Math.min(this.#housekeepingDueMs, this.#dueMs()) - nowMs);
  }

  close(): void {
    this.#leave('shutdown', NEVER_MS);
    this.#options.commitLog.publishWroteOffset();
    this.#options.commitLog.close();
    this.#options.ownLog.close();
  }

  #dueMs(): number {
    const { config } = this.#options;
    if (this.#masterAddress === null) return Number.POSITIVE_INFINITY;
    if (this.#transport === null) return this.#retryAtMs;
    if (!this.#isConnected) return this.#lastReadMs + CONNECT_TIMEOUT_MS + 1;
    return this.#lastReportMs + config.haSendHeartbeatInterval + 1;
  }

  #mayDial(nowMs: number): boolean {
    return this.#masterAddress !== null && nowMs >= this.#retryAtMs;
  }

  #dial(nowMs: number): number {
    const address = this.#masterAddress ?? '';
    this.#frames = new HaFrameReader();
    this.#isConnected = false;
    this.#hasReceived = false;
    this.#heartbeatAt = -1;
    this.#lastReadMs = nowMs;
    // Events of a link that was left change nothing.
    const isCurrent = () => this.#transport === transport;
    const transport: HaTransport = this.#options.dial(address, {
      onConnect: () => {
        if (isCurrent()) this.#onConnect();
      },
      onBytes: (chunk) => {
        if (isCurrent()) this.#onBytes(chunk);
      },
      onClose: (reason) => {
        if (isCurrent()) this.#onClose(reason);
      },
    });
    this.#transport = transport;
    return 1;
  }

  #onConnect(): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#isConnected = true;
    this.#lastReadMs = nowMs;
    this.#expectedOffset = this.#startOfCheck();
    const ownOffset = this.#options.commitLog.wroteOffset;
    log.info('connected to the master', { master: this.#masterAddress, ownOffset });
    this.#report(this.#expectedOffset, nowMs);
  }

  #onBytes(chunk: Uint8Array): void {
    const nowMs = this.#options.clock.monotonicMs();
    const { commitLog, onAppended } = this.#options;
    const before = commitLog.wroteOffset;
    this.#lastReadMs = nowMs;
    const link = this.#transport;
    const good = this.#frames.push(chunk, (physicalOffset, bytes, start, size) =>
      this.#onFrame(physicalOffset, bytes, start, size),
    );
    if (commitLog.wroteOffset !== before) {
      commitLog.publishWroteOffset();
      onAppended();
    }
    if (this.#transport !== link) return;
    if (good) this.#reportProgress(nowMs);
    else this.#leave('the master sent what is no frame', RETRY_MS);
  }

  /** False when the link was left. */
  #onFrame(physicalOffset: number, bytes: Uint8Array, start: number, size: number): boolean {
    const { commitLog } = this.#options;
    this.#hasReceived = true;
    const isEmpty = commitLog.wroteOffset === 0;
    if (isEmpty) this.#expectedOffset = physicalOffset;
    if (physicalOffset !== this.#expectedOffset) {
      const text = 'the master sends another part of the log than this slave lacks';
      return this.#refuse(text, { physicalOffset, expected: this.#expectedOffset });
    }
    if (size === 0 && physicalOffset < commitLog.wroteOffset) {
      // Two in a row: the master has nothing to send though this log goes on.
      if (this.#heartbeatAt === physicalOffset) {
        const text = 'this slave holds more than its master: nothing is merged';
        return this.#refuse(text, { physicalOffset, ownOffset: commitLog.wroteOffset });
      }
    }
    this.#heartbeatAt = size === 0 ? physicalOffset : -1;
    const known = Math.min(size, commitLog.wroteOffset - this.#expectedOffset);
    if (!isEmpty && known > 0 && !this.#isSame(bytes, start, known)) {
      const text = 'this slave has another history than its master: nothing is merged';
      return this.#refuse(text, { physicalOffset, ownOffset: commitLog.wroteOffset });
    }
    const from = isEmpty ? 0 : Math.max(0, known);
    const rest = size - from;
    if (
      (isEmpty || rest > 0) &&
      !commitLog.appendRaw(physicalOffset + from, bytes, start + from, rest)
    ) {
      return this.#refuse('what the master sent can not be stored', { physicalOffset, size });
    }
    this.#expectedOffset = physicalOffset + size;
    return true;
  }

  #isSame(bytes: Uint8Array, start: number, lengthBytes: number): boolean {
    const { ownLog } = this.#options;
    ownLog.refresh();
    if (!ownLog.locate(this.#expectedOffset)) return false;
    const { buffer, position, limit } = ownLog;
    const end = position + lengthBytes;
    if (end > limit) return false;
    return buffer.compare(bytes, start, start + lengthBytes, position, end) === 0;
  }

  #refuse(text: string, details: Record<string, unknown>): boolean {
    this.#once.warn(text, text, { master: this.#masterAddress, ...details });
    this.#leave(text, RETRY_MS);
    return false;
  }

  /** What this slave vouches for: all that was appended, or as far as it has been compared. */
  #position(): number {
    return Math.min(this.#expectedOffset, this.#options.commitLog.wroteOffset);
  }

  /** In the file that the log ends in: whatever a master has kept of an older one, it has that one. */
  #startOfCheck(): number {
    const { commitLog, ownLog, historyCheckBytes } = this.#options;
    const end = commitLog.wroteOffset;
    const inFile = end % ownLog.fileSizeBytes;
    return end - Math.min(inFile, historyCheckBytes);
  }

  #reportProgress(nowMs: number): void {
    const position = this.#position();
    if (position > this.#reportedOffset) this.#report(position, nowMs);
  }

  #report(physicalOffset: number, nowMs: number): void {
    this.#reportedOffset = physicalOffset;
    this.#lastReportMs = nowMs;
    this.#transport?.send(encodeReport(physicalOffset), 0, HA_REPORT_BYTES);
  }

  #onClose(reason: string): void {
    const { wroteOffset } = this.#options.commitLog;
    const details = { master: this.#masterAddress, reason, ownOffset: wroteOffset };
    if (this.#isConnected && !this.#hasReceived && wroteOffset > 0) {
      const text =
        'the master closed the link before it sent anything: does this slave hold more than its master?';
      this.#once.warn('no frame', text, details);
    } else {
      this.#once.warn(`closed ${reason}`, 'the link to the master is down', details);
    }
    this.#forget(this.#hasReceived ? RECONNECT_MS : RETRY_MS);
  }

  #leave(reason: string, retryMs: number): void {
    const transport = this.#transport;
    if (transport === null) return;
    log.info('the link to the master is closed', { master: this.#masterAddress, reason });
    this.#forget(retryMs);
    transport.close();
  }

  #forget(retryMs: number): void {
    this.#transport = null;
    this.#isConnected = false;
    this.#retryAtMs = this.#options.clock.monotonicMs() + retryMs;
  }
}

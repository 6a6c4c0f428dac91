// Room: workers. The dispatch worker's agent: derives queues and index from the log (ReputAgent), answers pulls, holds those that find
// nothing, and serves the control plane's look-ups. The only writer of ConsumeQueues, index files and reputFromOffset. Hot.
//
// A pull whose answer finds no room in the ring stays where it is: in main's ring, or among the ready ones.

import type { Clock } from '../base/clock.js';
import { formatAddress } from '../base/net-address.js';
import { type PullMessageProcessor, PullOutcome } from '../processor/pull-message-processor.js';
import {
  type ArrivedRecord,
  type HeldPull,
  PullRequestHoldService,
} from '../processor/pull-request-hold-service.js';
import type { TableChange, TableReplicas } from '../processor/table-replicas.js';
import type { Agent } from '../ring/agent.js';
import type { ConsumeQueueTable } from '../store/consumequeue/consume-queue-table.js';
import type { ReputAgent } from '../store/dispatch/reput-agent.js';
import type { LogReader } from '../store/mapped/log-reader.js';
import type { PoolRanges } from './pool-ranges.js';
import type { ReplyWriter } from './reply-writer.js';
import {
  COMMIT_HEADER_BYTES,
  highWord,
  ORIGIN_BYTES,
  ORIGIN_IPV6,
  ToMain,
  ToWorker,
  WaitFor,
} from './ring-records.js';
import type { StoreCommand, StoreCommands } from './store-commands.js';
import type { BrokerLinks } from './thread-plan.js';

const RECORDS_PER_TURN = 128;
const STATS_INTERVAL_MS = 1000;
const UNHURRIED_REPUT_INTERVAL_MS = 1;

/** What is brought into memory for one lagging pull: what its next ones will ask for, too. */
const COLD_READ_BYTES = 4 * 1024 * 1024;

/** A pull is asked when it comes, once more when its hold ends, or once more when the disk has brought its records. */
const AskedHow = { FIRST: 0, AFTER_HOLD: 1, AFTER_READ: 2 } as const;
type AskedHow = (typeof AskedHow)[keyof typeof AskedHow];

export interface DispatchAgentOptions {
  readonly links: BrokerLinks;
  readonly out: ReplyWriter;
  readonly reput: ReputAgent;
  readonly table: ConsumeQueueTable;
  readonly processor: PullMessageProcessor;
  readonly commands: StoreCommands;
  readonly ranges: PoolRanges;
  readonly log: LogReader;
  readonly tables: TableReplicas;
  readonly clock: Clock;
  readonly close: () => void;
}

export class DispatchAgent implements Agent {
  readonly name = 'dispatch';
  readonly held = new PullRequestHoldService();
  readonly #options: DispatchAgentOptions;
  /** Held pulls that are to be asked again. */
  #ready: HeldPull[] = [];
  /** Pulls whose records have been brought into memory. */
  #broughtIn: { readonly record: Buffer }[] = [];
  #blocked = false;
  #statsDueMs = 0;
  #reputDueMs = 0;
  // The origin of the frame at hand.
  #connectionId = 0;
  #frameRecord: Buffer = Buffer.alloc(0);
  #originAt = 0;
  readonly #remoteAddress = (): string => {
    const bytes = this.#frameRecord;
    const at = this.#originAt;
    const size = (bytes.readInt32LE(at + 4) & ORIGIN_IPV6) !== 0 ? 16 : 4;
    return formatAddress(bytes.subarray(at + 16, at + 16 + size), bytes.readInt32LE(at + 8));
  };

  constructor(options: DispatchAgentOptions) {
    this.#options = options;
  }

  /** ReputAgent tells each record that entered a queue. */
  onArrival(
    topic: string,
    queueId: number,
    maxOffset: number,
    tagsHigh: number,
    tagsLow: number,
    record: ArrivedRecord,
  ): void {
    this.held.arrived(topic, queueId, maxOffset, tagsHigh, tagsLow, this.#ready, record);
  }

  /** For the processor: a commit that came with a pull. False when there is no room to tell it. */
  commitOffset(group: string, topic: string, queueId: number, queueOffset: number): void {
    const { out } = this.#options;
    const topicBytes = Buffer.byteLength(topic);
    const groupBytes = Buffer.byteLength(group);
    const size = COMMIT_HEADER_BYTES + topicBytes + groupBytes;
    const at = out.claimRaw(size);
    // Without room the client's next pull, or its periodic update, brings the offset.
    if (at < 0) return;
    const high = highWord(queueOffset);
    out.bytes.writeInt32LE(queueId, at);
    out.bytes.writeInt32LE(topicBytes, at + 4);
    out.bytes.writeInt32LE((queueOffset - high * 0x1_0000_0000) | 0, at + 8);
    out.bytes.writeInt32LE(high | 0, at + 12);
    out.bytes.writeInt32LE(groupBytes, at + 16);
    out.bytes.writeInt32LE(this.#connectionId, at + 20);
    out.bytes.write(topic, at + COMMIT_HEADER_BYTES, 'utf8');
    out.bytes.write(group, at + COMMIT_HEADER_BYTES + topicBytes, 'utf8');
    out.commitRaw(ToMain.COMMIT_OFFSET, size);
  }

  doWork(): number {
    const { reput, links, clock, table } = this.#options;
    this.#blocked = false;
    const nowMs = clock.monotonicMs();
    // What is asked is looked at before the log is followed: whoever asks finds all that was acknowledged to him.
    const asked = links.mainToDispatch.look();
    let work = asked || this.#isReputDue(nowMs) ? reput.doWork() : 0;
    if (work > 0) this.#reputDueMs = nowMs + UNHURRIED_REPUT_INTERVAL_MS;
    this.held.sweep(
      nowMs,
      (topic, queueId) => table.find(topic, queueId)?.maxOffset ?? 0,
      this.#ready,
    );
    const answered = this.#answerWaiting();
    const taken = asked ? this.#takeRecords() : 0;
    if (answered + taken > 0) {
      this.#options.out.publish();
      links.wakes.main.wake();
    }
    this.#tellStats();
    work += answered + taken;
    return work;
  }

  hasWork(): boolean {
    if (this.#blocked) return false;
    const { links, reput, clock } = this.#options;
    if (!links.mainToDispatch.isEmpty()) return true;
    return this.#isReputDue(clock.monotonicMs()) && reput.hasWork();
  }

  mayNap(): boolean {
    return this.held.count === 0 && !this.#blocked;
  }

  maxSleepMs(): number {
    if (this.#blocked) return 1;
    const heldMs = this.held.maxSleepMs(this.#options.clock.monotonicMs());
    return Math.min(heldMs, this.#options.reput.maxSleepMs());
  }

  /** Whoever appends and flushes has stopped: the rest of the log gets its entries. */
  close(): void {
    this.#options.ranges.stop();
    while (this.#options.reput.doWork() > 0);
    this.#options.reput.close();
    this.#options.close();
  }

  /** While nobody waits for arrivals the log is followed in batches: an entry is needed only by who asks, and that comes first. */
  #isReputDue(nowMs: number): boolean {
    return nowMs >= this.#reputDueMs || this.held.count > 0;
  }

  /** Asks pulls once more. @returns those for whose answers there was no room. */
  #askAgain<P extends { readonly record: Buffer }>(pulls: P[], asked: AskedHow): P[] {
    for (let i = 0; i < pulls.length; i++) {
      const { record } = pulls[i]!;
      if (this.#takeFrame(record, 0, record.length, asked)) continue;
      this.#blocked = true;
      return pulls.slice(i);
    }
    return [];
  }

  #answerWaiting(): number {
    const before = this.#ready.length + this.#broughtIn.length;
    if (before === 0) return 0;
    this.#ready = this.#askAgain(this.#ready, AskedHow.AFTER_HOLD);
    this.#broughtIn = this.#askAgain(this.#broughtIn, AskedHow.AFTER_READ);
    return before - this.#ready.length - this.#broughtIn.length;
  }

  #takeRecords(): number {
    const ring = this.#options.links.mainToDispatch;
    let records = 0;
    while (records < RECORDS_PER_TURN && !this.#blocked && ring.hasSeen()) {
      const size = ring.peek();
      if (size < 0) break;
      if (!this.#take(ring.kind(), ring.bytes, ring.position(), size)) {
        this.#blocked = true;
        break;
      }
      ring.next(size);
      records++;
    }
    if (records > 0) ring.release();
    return records;
  }

  #take(kind: number, bytes: Buffer, at: number, size: number): boolean {
    switch (kind) {
      case ToWorker.FRAME:
        return this.#takeFrame(bytes, at, size, AskedHow.FIRST);
      case ToWorker.TABLE:
        this.#options.tables.apply(
          JSON.parse(bytes.toString('utf8', at, at + size)) as TableChange,
        );
        return true;
      case ToWorker.COMMAND:
        return this.#takeCommand(bytes, at, size);
      case ToWorker.RANGE_DONE:
        this.#options.ranges.done(bytes.readInt32LE(at), bytes.readInt32LE(at + 4) !== 0);
        return true;
      case ToWorker.CLOSED:
        this.held.connectionClosed(bytes.readInt32LE(at));
        return true;
      default:
        return true;
    }
  }

  #takeFrame(bytes: Buffer, at: number, size: number, asked: AskedHow): boolean {
    const { processor, out, clock, log } = this.#options;
    processor.residency = asked === AskedHow.AFTER_READ ? null : log;
    this.#connectionId = bytes.readInt32LE(at);
    this.#frameRecord = bytes;
    this.#originAt = at;
    const frameAt = at + ORIGIN_BYTES;
    const frameLength = size - ORIGIN_BYTES;
    const outcome = processor.process(
      bytes,
      frameAt,
      frameLength,
      asked !== AskedHow.AFTER_HOLD,
      this.#remoteAddress,
      out,
    );
    switch (outcome) {
      case PullOutcome.REPLY:
        out.reply(this.#connectionId, WaitFor.NOTHING, 0, processor.replySize);
        if (processor.offsetMoved !== null) {
          out.event({ event: 'offsetMoved', ...processor.offsetMoved });
        }
        return true;
      case PullOutcome.NO_REPLY:
        return true;
      case PullOutcome.NO_ROOM:
        return false;
      case PullOutcome.HOLD:
        this.held.hold({
          connectionId: this.#connectionId,
          record: Buffer.from(bytes.subarray(at, at + size)),
          topic: processor.heldTopic,
          queueId: processor.heldQueueId,
          queueOffset: processor.heldOffset,
          filter: processor.heldFilter,
          deadlineMs: clock.monotonicMs() + processor.heldForMs,
        });
        return true;
      case PullOutcome.COLD:
        this.#bringIn(processor.coldOffset, Buffer.from(bytes.subarray(at, at + size)));
        return true;
      default:
        if (!out.claim(frameLength)) return false;
        out.escalate(
          this.#connectionId,
          outcome - PullOutcome.ESCALATE,
          bytes,
          frameAt,
          frameLength,
        );
        return true;
    }
  }

  /** A lagging reader waits for the disk in the pool, so that those at the log's end do not wait with it. */
  #bringIn(physicalOffset: number, record: Buffer): void {
    const { log, ranges } = this.#options;
    const position = physicalOffset % log.fileSizeBytes;
    const lengthBytes = Math.min(COLD_READ_BYTES, log.fileSizeBytes - position);
    const path = log.pathOf(physicalOffset - position);
    ranges.readRange(path, log.fileSizeBytes, position, lengthBytes, () =>
      this.#broughtIn.push({ record }),
    );
  }

  #takeCommand(bytes: Buffer, at: number, size: number): boolean {
    const command = JSON.parse(bytes.toString('utf8', at + 8, at + size)) as StoreCommand;
    const { json, records } = this.#options.commands.run(command);
    return this.#options.out.result(bytes.readInt32LE(at), json, records);
  }

  #tellStats(): void {
    const now = this.#options.clock.monotonicMs();
    if (now < this.#statsDueMs) return;
    this.#statsDueMs = now + STATS_INTERVAL_MS;
    const pulls = this.#options.processor.stats.take();
    if (pulls.length === 0) return;
    this.#options.out.event({ event: 'pulls', pulls });
    this.#options.links.wakes.main.wake();
  }
}

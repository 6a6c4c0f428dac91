// R1 and R2: a broker that is killed with SIGKILL again and again at random times, under a mixed load, on one store; after each start
// everything that was acknowledged is asked for. A store serves for twenty kills, then all of it is checked, and a new one begins.

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Prng, seededPrng } from '../../src/base/prng.js';
import { ResponseCode } from '../../src/protocol/response-code.js';
import { BrokerProcess, type BrokerProperties, claimPort } from '../support/broker-process.js';
import { WireClient } from '../support/wire-client.js';
import { Admin } from './admin.js';
import { type CheckReport, check } from './checker.js';
import { Consumer } from './consumer.js';
import { checkWithJava, javaPeer } from './java-peer.js';
import { Bodies, Ledger } from './ledger.js';
import { Producer, sleep } from './producer.js';
import { diskDirectory } from './sizes.js';

const PRODUCERS = 4;
const CYCLES_OF_A_STORE = 20;
const KILL_AFTER_MS = [50, 1500] as const;
const LONG_LIFE_MS = 14_000;
/** One start in so many is killed before it is done. */
const KILLED_STARTS = 7;
const START_GIVE_UP_MS = 120_000;
const LOOK_UPS = 300;
const SAVE_INTERVAL_MS = 1000;

export interface KillLoopOptions {
  readonly flushDiskType: 'SYNC_FLUSH' | 'ASYNC_FLUSH';
  readonly cycles: number;
  readonly seed: number;
  readonly restartLimitMs: number;
  /** Messages a second and producer. */
  readonly ratePerSecond: number;
}

export interface KillLoopReport {
  /** Empty when every promise was kept. */
  readonly violations: string[];
  readonly acknowledged: number;
  readonly recordsRead: number;
  readonly lookUps: number;
  readonly consumed: number;
  readonly duplicates: number;
  readonly adminChanges: number;
  readonly killedStarts: number;
  readonly javaChecks: number;
  readonly restartsMs: number[];
  /** Answers other than SEND_OK, by their code. */
  readonly refusals: Record<number, number>;
  /** Kept when there are violations. */
  readonly kept: string | null;
}

export async function killLoop(options: KillLoopOptions): Promise<KillLoopReport> {
  const run = new KillLoop(options);
  return run.run();
}

class KillLoop {
  readonly #options: KillLoopOptions;
  readonly #prng: Prng;
  readonly #properties: BrokerProperties;
  readonly #report = {
    violations: [] as string[],
    acknowledged: 0,
    recordsRead: 0,
    lookUps: 0,
    consumed: 0,
    duplicates: 0,
    adminChanges: 0,
    killedStarts: 0,
    javaChecks: 0,
    restartsMs: [] as number[],
    refusals: {} as Record<number, number>,
    kept: null as string | null,
  };

  constructor(options: KillLoopOptions) {
    this.#options = options;
    this.#prng = seededPrng(options.seed);
    this.#properties = {
      flushDiskType: options.flushDiskType,
      mappedFileSizeCommitLog: 4 * 1024 * 1024,
      mappedFileSizeConsumeQueue: 6000,
      maxHashSlotNum: 500,
      maxIndexNum: 2000,
      flushConsumerOffsetInterval: SAVE_INTERVAL_MS,
      waitTimeMillsInSendQueue: 5000,
      transactionTimeOut: 3_600_000,
      transactionCheckInterval: 3_600_000,
      logLevel: 'warn',
    };
  }

  async run(): Promise<KillLoopReport> {
    const { cycles } = this.#options;
    for (let cycle = 0; cycle < cycles && this.#report.violations.length === 0; ) {
      const count = Math.min(CYCLES_OF_A_STORE, cycles - cycle);
      await this.#oneStore(cycle, count);
      cycle += count;
    }
    return this.#report;
  }

  async #oneStore(firstCycle: number, count: number): Promise<void> {
    const dir = mkdtempSync(join(diskDirectory(), 'cometmq-kill-'));
    const port = await claimPort();
    const broker = new BrokerProcess(dir, port, this.#properties);
    const life = new StoreLife(broker, this.#options, this.#prng, this.#report);
    let cycle = firstCycle;
    try {
      for (; cycle < firstCycle + count && life.isSound; cycle++) {
        await life.cycle(cycle, count >= CYCLES_OF_A_STORE && cycle === firstCycle + count - 1);
      }
      if (life.isSound) await life.finish(dir, this.#properties);
    } catch (error) {
      life.say(`the test could not go on: ${error instanceof Error ? error.stack : error}`);
    } finally {
      await broker.kill();
      life.addUp();
    }
    const { violations } = this.#report;
    if (violations.length === 0) {
      rmSync(dir, { recursive: true, force: true });
      return;
    }
    life.ledger.save(join(dir, 'ledger.jsonl'));
    this.#report.kept = dir;
    violations.unshift(`seed ${this.#options.seed}, cycle ${cycle}, SIGKILL; store kept in ${dir}`);
  }
}

/** One store from its first start to its last check. */
class StoreLife {
  readonly ledger = new Ledger();
  readonly #broker: BrokerProcess;
  readonly #options: KillLoopOptions;
  readonly #prng: Prng;
  readonly #report: Report;
  readonly #bodies: Bodies;
  readonly #consumer = new Consumer(SAVE_INTERVAL_MS);
  readonly #admin: Admin;
  readonly #nextSeqs: number[] = Array(PRODUCERS).fill(0);
  #checkedEntries = 0;

  constructor(broker: BrokerProcess, options: KillLoopOptions, prng: Prng, report: Report) {
    this.#broker = broker;
    this.#options = options;
    this.#prng = prng;
    this.#report = report;
    this.#bodies = new Bodies(options.seed);
    this.#admin = new Admin(prng);
  }

  get isSound(): boolean {
    return this.#report.violations.length === 0;
  }

  say(violation: string): void {
    this.#report.violations.push(violation);
  }

  /** Start, check, load, kill. */
  async cycle(cycle: number, isLong: boolean): Promise<void> {
    const client = await this.#startAndCheck(cycle);
    if (client === null) return;
    if (this.#checkedEntries === 0) await this.#admin.createTopics(client);
    client.close();
    await this.#loadAndKill(isLong);
  }

  /** The last start, with everything checked, and Java's word on a copy of the store. */
  async finish(dir: string, properties: BrokerProperties): Promise<void> {
    const client = await this.#startAndCheck(-1);
    if (client === null) return;
    await this.#check(client, 0);
    await this.#consumer.drain(client);
    this.#report.violations.push(...this.#consumer.violations);
    client.close();
    await this.#broker.kill();
    if (javaPeer === undefined || !this.isSound) return;
    const { storeDir } = this.#broker;
    const report = await checkWithJava(
      javaPeer,
      dir,
      storeDir,
      properties,
      this.ledger,
      this.#bodies,
    );
    this.#count(report);
    this.#report.javaChecks++;
  }

  addUp(): void {
    this.#report.acknowledged += this.ledger.entries.length;
    this.#report.consumed += this.#consumer.consumed;
    this.#report.duplicates += this.#consumer.duplicates;
    this.#report.adminChanges += this.#admin.changes;
  }

  async #startAndCheck(cycle: number): Promise<WireClient | null> {
    const broker = this.#broker;
    if (cycle > 0 && this.#prng.nextInt(KILLED_STARTS) === 0) {
      broker.start();
      await sleep(50 + this.#prng.nextInt(600));
      await broker.kill();
      this.#report.killedStarts++;
    }
    broker.start();
    const restartMs = await this.#firstSendOk();
    if (restartMs === null) return null;
    this.#report.restartsMs.push(Math.round(restartMs));
    if (restartMs > this.#options.restartLimitMs) {
      this.say(`restart to first SEND_OK took ${Math.round(restartMs)} ms`);
    }
    const client = new WireClient(broker.port);
    await this.#check(client, this.#checkedEntries);
    await this.#consumer.resume(client);
    await this.#admin.check(client);
    this.#report.violations.push(...this.#consumer.violations, ...this.#admin.violations);
    this.#checkedEntries = this.ledger.entries.length;
    return client;
  }

  async #firstSendOk(): Promise<number | null> {
    const broker = this.#broker;
    const probe = {
      topic: 'RelProbe',
      queueId: 0,
      body: Buffer.from('are you there?'),
      properties: new Map([['WAIT', 'true']]),
    };
    let lastAnswer = 'no answer';
    while (performance.now() - broker.startedMs < START_GIVE_UP_MS && broker.isRunning) {
      const client = new WireClient(broker.port, 2000);
      try {
        const result = await client.send(probe);
        if (result.code === ResponseCode.SUCCESS) return performance.now() - broker.startedMs;
        lastAnswer = `${result.code} ${result.remark}`;
      } catch (error) {
        lastAnswer = String(error);
      } finally {
        client.close();
      }
      await sleep(10);
    }
    const end = broker.isRunning ? 'it still runs' : `it ended with ${await broker.exited()}`;
    this.say(`no SEND_OK after the start: ${lastAnswer}; ${end}\n${broker.output().slice(-2000)}`);
    return null;
  }

  async #check(client: WireClient, firstEntry: number): Promise<void> {
    const report = await check({
      client,
      ledger: this.ledger,
      bodies: this.#bodies,
      firstEntry,
      lookUps: LOOK_UPS,
      seed: this.#options.seed,
    });
    this.#count(report);
  }

  #count(report: CheckReport): void {
    this.#report.violations.push(...report.violations);
    this.#report.recordsRead += report.records;
    this.#report.lookUps += report.lookUps;
  }

  async #loadAndKill(isLong: boolean): Promise<void> {
    const { port, startedMs } = this.#broker;
    const producers = this.#nextSeqs.map(
      (firstSeq, producer) =>
        new Producer({
          producer,
          port,
          prng: seededPrng(this.#prng.nextInt(0x7fff_ffff)),
          bodies: this.#bodies,
          ledger: this.ledger,
          ratePerSecond: isLong ? this.#options.ratePerSecond / 10 : this.#options.ratePerSecond,
          firstSeq,
        }),
    );
    const running = [
      ...producers.map((producer) => producer.run()),
      this.#consumer.run(port),
      this.#admin.run(port),
    ];
    const [least, most] = KILL_AFTER_MS;
    await sleep(isLong ? LONG_LIFE_MS : least + this.#prng.nextInt(most - least));
    const wasRunning = this.#broker.isRunning;
    const killedMs = performance.now();
    await this.#broker.kill();
    if (!wasRunning) this.say(`the broker was gone before it was killed\n${this.#broker.output()}`);
    for (const one of [...producers, this.#consumer, this.#admin]) one.stop();
    await Promise.all(running);
    this.#consumer.brokerDied(startedMs, killedMs);
    for (const [i, producer] of producers.entries()) {
      this.#nextSeqs[i] = producer.nextSeq;
      for (const [code, count] of producer.refusals) {
        this.#report.refusals[code] = (this.#report.refusals[code] ?? 0) + count;
      }
    }
  }
}

type Report = { -readonly [K in keyof KillLoopReport]: KillLoopReport[K] };

export function describeReport(report: KillLoopReport): string {
  const restarts = [...report.restartsMs].sort((a, b) => a - b);
  const at = (share: number) => restarts[Math.floor((restarts.length - 1) * share)] ?? 0;
  const { violations: _violations, restartsMs: _restarts, kept: _kept, ...counts } = report;
  const times = `restart ms p50 ${at(0.5)}, p90 ${at(0.9)}, max ${at(1)}`;
  return `${JSON.stringify(counts)}; ${times}`;
}

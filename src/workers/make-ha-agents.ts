// Room: workers; runs in the ha thread. On every broker the slaves' door (HaService behind its listener). On a slave also the way to its
// master (HaClient), and with it the log: the ha thread is its owner then, expiry of files included; the commitlog worker has a
// RefusingLog in its place.

import type { Clock } from '../base/clock.js';
import { cometError, isCometError } from '../base/errors.js';
import { getLogger } from '../base/logger.js';
import { splitHostPort } from '../base/net-address.js';
import type { Agent } from '../ring/agent.js';
import { HaClient, HISTORY_CHECK_BYTES } from '../store/ha/ha-client.js';
import { HaService } from '../store/ha/ha-service.js';
import { dialBySocket, type HaListener, listenBySocket } from '../store/ha/ha-socket.js';
import { LogReader } from '../store/mapped/log-reader.js';
import type { RecoveredState } from '../store/recovery/recover-store.js';
import type { MadeAgents } from './make-agents.js';
import { ownedLog } from './make-commitlog-agents.js';
import type { BrokerLinks } from './thread-plan.js';
import type { HaAddress, ToHaMessage, WorkerSettings } from './worker-settings.js';

const log = getLogger('ha');

export function makeHaAgents(
  settings: WorkerSettings,
  recovered: RecoveredState,
  links: BrokerLinks,
  clock: Clock,
  tellMain: (event: object) => void,
): MadeAgents {
  const { store, haListener } = settings;
  let kick = (): void => {};
  const onActivity = (): void => kick();
  const service = new HaService({
    log: new LogReader(store, links.cursors),
    cursors: links.cursors,
    clock,
    config: store,
    isWaitedFor: store.brokerRole === 'SYNC_MASTER',
    onChange: () => {
      if (store.brokerRole === 'SYNC_MASTER') links.wakes.main.wake();
    },
  });
  const listener =
    haListener === null
      ? null
      : listenBySocket(
          haListener.host,
          haListener.port,
          (transport) => service.accept(transport),
          onActivity,
        );
  const slave =
    store.brokerRole === 'SLAVE'
      ? makeSlave(settings, recovered, links, clock, tellMain, onActivity)
      : null;
  const agents: Agent[] = slave === null ? [service] : [service, slave.client];
  if (listener !== null) agents.push(closerOf(listener));
  return {
    agents,
    recovered: null,
    loop: {
      start: async () => {
        if (listener !== null && haListener !== null) await listen(listener, haListener);
      },
      take: (message) => slave?.take(message),
      setKick: (kickLoop) => {
        kick = kickLoop;
      },
      hasNobody: () => service.connectionCount === 0,
    },
  };
}

interface Slave {
  readonly client: HaClient;
  take(message: ToHaMessage): void;
}

function makeSlave(
  settings: WorkerSettings,
  recovered: RecoveredState,
  links: BrokerLinks,
  clock: Clock,
  tellMain: (event: object) => void,
  onActivity: () => void,
): Slave {
  const { store } = settings;
  const { commitLog, housekeeping } = ownedLog(settings, recovered, links, clock, tellMain);
  const client = new HaClient({
    commitLog,
    ownLog: new LogReader(store, links.cursors),
    clock,
    config: store,
    dial: dialBySocket(onActivity),
    historyCheckBytes: HISTORY_CHECK_BYTES,
    onAppended: () => links.wakes.dispatch.nudge(),
    housekeeping,
  });
  const take = (message: ToHaMessage): void => {
    if (message.type === 'deleteExpired') commitLog.requestManualDelete();
    else if (isAddress(message.haServerAddr)) client.setMaster(message.haServerAddr);
    onActivity();
  };
  return { client, take };
}

/** It comes from a configuration file or a name server. */
function isAddress(text: string): boolean {
  try {
    splitHostPort(text);
    return true;
  } catch (error) {
    if (!isCometError(error)) throw error;
    log.warn('the master has no usable address', { haServerAddr: text });
    return false;
  }
}

async function listen(listener: HaListener, { host, port }: HaAddress): Promise<void> {
  try {
    await listener.listen();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw cometError('CONFIG_INVALID', `can not listen on ${host}:${port} (${reason})`, error);
  }
}

/** Nothing is accepted any more when the others have closed. */
function closerOf(listener: HaListener): Agent {
  return {
    name: 'ha',
    doWork: () => 0,
    hasWork: () => false,
    mayNap: () => true,
    maxSleepMs: () => 600_000,
    close: () => listener.close(),
  };
}

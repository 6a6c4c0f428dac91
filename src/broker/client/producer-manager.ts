// Room: broker, main thread. Which connections speak for which producer group, as Java's ProducerManager: for transaction
// checks (any live member of the group) and for replies (the connection of a client id). Heartbeats refresh it.
// Always holds: an id points to a connection that is in at least one group, and closing one connection never removes the
// entry of another that has the same id.

import type { Clock } from '../../base/clock.js';
import { getLogger } from '../../base/logger.js';
import type { ClientChannelInfo, ClientConnection } from './client-channel-info.js';

const log = getLogger('broker.client');

export class ProducerManager {
  readonly #clock: Clock;
  readonly #groups = new Map<string, Map<ClientConnection, ClientChannelInfo>>();
  readonly #groupsOfConnection = new Map<ClientConnection, Set<string>>();
  readonly #byClientId = new Map<string, ClientChannelInfo>();
  #turn = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  register(group: string, fresh: ClientChannelInfo): void {
    let members = this.#groups.get(group);
    if (members === undefined) {
      members = new Map();
      this.#groups.set(group, members);
    }
    const known = members.get(fresh.connection);
    if (known !== undefined && known.clientId === fresh.clientId) known.touch(this.#clock);
    else members.set(fresh.connection, fresh);
    let groups = this.#groupsOfConnection.get(fresh.connection);
    if (groups === undefined) {
      groups = new Set();
      this.#groupsOfConnection.set(fresh.connection, groups);
    }
    groups.add(group);
    this.#byClientId.set(fresh.clientId, fresh);
  }

  unregister(group: string, connection: ClientConnection): void {
    const members = this.#groups.get(group);
    const info = members?.get(connection);
    if (members === undefined || info === undefined) return;
    members.delete(connection);
    if (members.size === 0) this.#groups.delete(group);
    const groups = this.#groupsOfConnection.get(connection);
    groups?.delete(group);
    if (groups !== undefined && groups.size > 0) return;
    this.#groupsOfConnection.delete(connection);
    if (this.#byClientId.get(info.clientId)?.connection === connection) {
      this.#byClientId.delete(info.clientId);
    }
  }

  connectionClosed(connection: ClientConnection): void {
    const groups = this.#groupsOfConnection.get(connection);
    if (groups === undefined) return;
    for (const group of [...groups]) this.unregister(group, connection);
  }

  /** Drops and closes members without a heartbeat. */
  scan(): void {
    for (const [group, members] of [...this.#groups]) {
      for (const info of [...members.values()]) {
        if (!info.isExpired(this.#clock)) continue;
        log.warn('producer without heartbeat removed', {
          group,
          clientId: info.clientId,
          address: info.connection.remoteAddress,
        });
        info.connection.close('no heartbeat');
        this.connectionClosed(info.connection);
      }
    }
  }

  members(group: string): ClientChannelInfo[] | null {
    const members = this.#groups.get(group);
    return members === undefined ? null : [...members.values()];
  }

  groups(): IterableIterator<string> {
    return this.#groups.keys();
  }

  get groupCount(): number {
    return this.#groups.size;
  }

  findByClientId(clientId: string): ClientChannelInfo | undefined {
    return this.#byClientId.get(clientId);
  }

  /** A live member of the group, a different one each time; null when the group is offline. */
  nextAvailable(group: string): ClientChannelInfo | null {
    const members = this.members(group);
    if (members === null) return null;
    for (let tries = 0; tries < members.length; tries++) {
      const info = members[this.#turn++ % members.length];
      if (info !== undefined && !info.connection.isClosed) return info;
    }
    return null;
  }
}

import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { ClientChannelInfo } from '../../../src/broker/client/client-channel-info.js';
import { ProducerManager } from '../../../src/broker/client/producer-manager.js';
import { FakeConnection } from '../fakes.js';

setLogLevel('silent');

function setUp() {
  const clock = new ManualClock();
  const manager = new ProducerManager(clock);
  const heartbeat = (connection: FakeConnection, group: string, id = `p${connection.id}`) =>
    manager.register(group, new ClientChannelInfo(connection, id, 0, 407, clock));
  return { clock, manager, heartbeat };
}

describe('ProducerManager', () => {
  it('gives the live members of a group in turn', () => {
    const { manager, heartbeat } = setUp();
    const [a, b, c] = [1, 2, 3].map((id) => new FakeConnection(id)) as [
      FakeConnection,
      FakeConnection,
      FakeConnection,
    ];
    for (const connection of [a, b, c]) heartbeat(connection, 'g');
    b.isClosed = true;
    const ids = [1, 2, 3, 4].map(() => manager.nextAvailable('g')?.connection.id);
    expect(new Set(ids)).toEqual(new Set([1, 3]));
    expect(manager.nextAvailable('nobody')).toBeNull();
  });

  it('removes a closed connection from all groups', () => {
    const { manager, heartbeat } = setUp();
    const a = new FakeConnection(1);
    heartbeat(a, 'g');
    heartbeat(a, 'h');
    manager.connectionClosed(a);
    expect(manager.groupCount).toBe(0);
    expect(manager.findByClientId('p1')).toBeUndefined();
  });

  it('finds a client by id until it has left its last group', () => {
    const { manager, heartbeat } = setUp();
    const a = new FakeConnection(1);
    heartbeat(a, 'g');
    heartbeat(a, 'h');
    manager.unregister('g', a);
    expect(manager.findByClientId('p1')?.connection).toBe(a);
    manager.unregister('h', a);
    expect(manager.findByClientId('p1')).toBeUndefined();
  });

  it('keeps the newer of two connections with one id when the older one closes', () => {
    const { manager, heartbeat } = setUp();
    const [old, young] = [new FakeConnection(1), new FakeConnection(2)];
    heartbeat(old, 'g', 'same');
    heartbeat(young, 'g', 'same');
    manager.connectionClosed(old);
    expect(manager.findByClientId('same')?.connection).toBe(young);
  });

  it('closes and removes a member 120 s after its last heartbeat, and not before', () => {
    const { clock, manager, heartbeat } = setUp();
    const a = new FakeConnection(1);
    heartbeat(a, 'g');
    clock.advance(120_000);
    manager.scan();
    expect(a.isClosed).toBe(false);
    clock.advance(1);
    manager.scan();
    expect(a.isClosed).toBe(true);
    expect(manager.members('g')).toBeNull();
  });
});

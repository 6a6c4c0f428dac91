import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { ClientChannelInfo } from '../../../src/broker/client/client-channel-info.js';
import { ConsumerManager } from '../../../src/broker/client/consumer-manager.js';
import { buildSubscriptionData } from '../../../src/protocol/bodies/subscription-data.js';
import { FakeConnection, RecordingPublisher } from '../fakes.js';

setLogLevel('silent');

const PROFILE = {
  consumeType: 'CONSUME_PASSIVELY',
  messageModel: 'CLUSTERING',
  consumeFromWhere: 'CONSUME_FROM_LAST_OFFSET',
} as const;

function setUp() {
  const clock = new ManualClock();
  const publisher = new RecordingPublisher();
  const changes: { group: string; members: number[] }[] = [];
  const manager = new ConsumerManager(clock, publisher, {
    changed: (group, members) => changes.push({ group, members: members.map(({ id }) => id) }),
  });
  const heartbeat = (
    connection: FakeConnection,
    topics: Record<string, string>,
    { version = 1, group = 'g', notify = true, id = `c${connection.id}` } = {},
  ) =>
    manager.register(
      group,
      new ClientChannelInfo(connection, id, 0, 407, clock),
      PROFILE,
      Object.entries(topics).map(([topic, tags]) =>
        buildSubscriptionData(topic, tags, 'TAG', version),
      ),
      notify,
    );
  return { clock, publisher, changes, manager, heartbeat };
}

describe('ConsumerManager', () => {
  it('tells all members, the new one too, when a member joins', () => {
    const { changes, heartbeat } = setUp();
    const [a, b] = [new FakeConnection(1), new FakeConnection(2)];
    expect(heartbeat(a, { T: '*' })).toBe(true);
    expect(heartbeat(b, { T: '*' })).toBe(true);
    expect(changes).toEqual([
      { group: 'g', members: [1] },
      { group: 'g', members: [1, 2] },
    ]);
  });

  it('tells nobody of a heartbeat that changes nothing', () => {
    const { changes, heartbeat, publisher } = setUp();
    const a = new FakeConnection(1);
    heartbeat(a, { T: '*' });
    expect(heartbeat(a, { T: '*' })).toBe(false);
    expect(changes).toHaveLength(1);
    expect(publisher.consumerChanges).toBe(1);
  });

  it('tells nobody when the group does not want notices', () => {
    const { changes, heartbeat } = setUp();
    heartbeat(new FakeConnection(1), { T: '*' }, { notify: false });
    expect(changes).toEqual([]);
  });

  it('takes a newer version of a known subscription without a notice, and gives it to the workers', () => {
    const { changes, heartbeat, manager, publisher } = setUp();
    const a = new FakeConnection(1);
    heartbeat(a, { T: 'A' }, { version: 5 });
    expect(heartbeat(a, { T: 'B' }, { version: 6 })).toBe(false);
    expect(manager.findSubscription('g', 'T')?.subString).toBe('B');
    expect(publisher.consumers.get('g')?.subscriptions[0]?.subString).toBe('B');
    expect(changes).toHaveLength(1);
  });

  it('ignores an older version of a known subscription', () => {
    const { heartbeat, manager } = setUp();
    const a = new FakeConnection(1);
    heartbeat(a, { T: 'A' }, { version: 5 });
    heartbeat(a, { T: 'B' }, { version: 4 });
    expect(manager.findSubscription('g', 'T')?.subString).toBe('A');
  });

  it('drops the topics that the last heartbeat lacks, whoever sent it', () => {
    const { changes, heartbeat, manager } = setUp();
    heartbeat(new FakeConnection(1), { T: '*', U: '*' });
    expect(heartbeat(new FakeConnection(2), { U: '*' })).toBe(true);
    expect(manager.findSubscription('g', 'T')).toBeUndefined();
    expect(manager.isOnlineWithout('g', 'T')).toBe(true);
    expect(manager.groupsOfTopic('U')).toEqual(['g']);
    expect(changes).toHaveLength(2);
  });

  it('removes a closed connection from all of its groups and tells the others', () => {
    const { changes, heartbeat, manager } = setUp();
    const [a, b] = [new FakeConnection(1), new FakeConnection(2)];
    heartbeat(a, { T: '*' });
    heartbeat(b, { T: '*' });
    heartbeat(a, { V: '*' }, { group: 'h' });
    changes.length = 0;
    manager.connectionClosed(a);
    expect(changes).toEqual([{ group: 'g', members: [2] }]);
    expect(manager.get('h')).toBeUndefined();
  });

  it('forgets a group with its last member, in the workers too', () => {
    const { heartbeat, manager, publisher } = setUp();
    const a = new FakeConnection(1);
    heartbeat(a, { T: '*' });
    manager.unregister('g', a, true);
    expect(manager.groupCount).toBe(0);
    expect(publisher.consumers.get('g')).toBeNull();
  });

  it('closes and removes a member 120 s after its last heartbeat, and not before', () => {
    const { clock, changes, heartbeat, manager } = setUp();
    const [a, b] = [new FakeConnection(1), new FakeConnection(2)];
    heartbeat(a, { T: '*' });
    clock.advance(60_000);
    heartbeat(b, { T: '*' });
    clock.advance(60_000);
    manager.scan();
    expect(a.isClosed).toBe(false);
    clock.advance(1);
    changes.length = 0;
    manager.scan();
    expect(a.isClosed).toBe(true);
    expect(manager.get('g')?.clientIds()).toEqual(['c2']);
    expect(changes).toEqual([{ group: 'g', members: [2] }]);
  });

  it('expires nobody when the wall clock is stepped', () => {
    const { clock, heartbeat, manager } = setUp();
    const a = new FakeConnection(1);
    heartbeat(a, { T: '*' });
    clock.stepWallClock(25 * 365 * 86_400_000);
    manager.scan();
    expect(a.isClosed).toBe(false);
  });

  // bugreports.md #28
  it('reports a group as inconsistent while its members subscribe to different things', () => {
    const { heartbeat, manager } = setUp();
    const [a, b] = [new FakeConnection(1), new FakeConnection(2)];
    heartbeat(a, { T: 'TagA' }, { version: 1 });
    heartbeat(b, { T: '*' }, { version: 2 });
    expect(manager.inconsistentGroups()).toEqual(['g']);
    expect(manager.findSubscription('g', 'T')?.subString).toBe('*');
    heartbeat(a, { T: '*' }, { version: 3 });
    expect(manager.inconsistentGroups()).toEqual([]);
  });

  it('does not call different versions of the same subscription inconsistent', () => {
    const { heartbeat, manager } = setUp();
    heartbeat(new FakeConnection(1), { T: 'A', U: '*' }, { version: 1 });
    heartbeat(new FakeConnection(2), { U: '*', T: 'A' }, { version: 9 });
    expect(manager.inconsistentGroups()).toEqual([]);
  });

  // bugreports.md #30
  it('lists an id that shows up on two connections once', () => {
    const { heartbeat, manager } = setUp();
    heartbeat(new FakeConnection(1), { T: '*' }, { id: 'same' });
    heartbeat(new FakeConnection(2), { T: '*' }, { id: 'same' });
    expect(manager.get('g')?.clientIds()).toEqual(['same']);
    expect(manager.get('g')?.memberCount).toBe(2);
  });
});

// The scenarios of the Java peer that this version must pass, and how they are run quickly.

/** With `cometmq start`, and with `namesrv` and `broker` apart. */
export const SCENARIOS = [
  'send-sync',
  'send-async',
  'send-oneway',
  'send-batch',
  'send-compressed',
  'compression-types',
  'auto-create-topic',
  'big-message',
  'consume-concurrently',
  'rebalance',
  'tags',
  'long-poll',
  'offsets-restart',
  'offsets-from-where',
  'pull-consumer',
  'lite-pull-consumer',
  'query-by-id',
  'rocketmq-serialization',
  'vip-channel',
  'namespace',
  'many-connections',
  'admin-topic',
  'admin-topic-info',
  'admin-group',
  'admin-cluster',
  'admin-write-perm',
  'admin-kv-config',
];

/** What `npm test` runs besides the tests proper: one way in and one way out. */
export const SMOKE = ['send-sync', 'consume-concurrently', 'admin-topic'];

/** Not worth a second run in the quick size: each takes seconds of waiting by the client's own clock. */
const SLOW = new Set(['offsets-from-where', 'rocketmq-serialization', 'many-connections']);

export const SECOND_ROUND = SCENARIOS.filter((name) => !SLOW.has(name));

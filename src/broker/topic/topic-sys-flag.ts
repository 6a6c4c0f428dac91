// Room: broker, main thread. Bits of a topic's topicSysFlag (protocol 4.2).

export const TopicSysFlag = { UNIT: 1, UNIT_SUB: 2 } as const;

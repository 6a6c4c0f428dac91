// Room: store. Outcomes of an append, as Java's PutMessageStatus; integers because they travel through rings.

export const PutMessageStatus = {
  PUT_OK: 0,
  FLUSH_DISK_TIMEOUT: 1,
  FLUSH_SLAVE_TIMEOUT: 2,
  SLAVE_NOT_AVAILABLE: 3,
  SERVICE_NOT_AVAILABLE: 4,
  CREATE_MAPEDFILE_FAILED: 5,
  MESSAGE_ILLEGAL: 6,
  PROPERTIES_SIZE_EXCEEDED: 7,
  OS_PAGECACHE_BUSY: 8,
  UNKNOWN_ERROR: 9,
  LMQ_CONSUME_QUEUE_NUM_EXCEEDED: 10,
} as const;

export type PutMessageStatus = (typeof PutMessageStatus)[keyof typeof PutMessageStatus];

export function putMessageStatusName(status: PutMessageStatus): string {
  for (const [name, value] of Object.entries(PutMessageStatus)) if (value === status) return name;
  return 'UNKNOWN_ERROR';
}

// Room: base. Any thread. The one catalogue of operating errors: what can go wrong in a running system through no fault of the
// code. Outcomes of ordinary work are returned unions and are not here; programmer errors are asserts.
// Always holds: every CometError carries a code of this table, and with it the category, the response code and the text.

export type ErrorCategory =
  /** Works when it is tried again, here or on another broker. */
  | 'retry'
  /** Can never work as it was asked. */
  | 'reject'
  /** The part that met it must stop. */
  | 'fatal';

interface CatalogueEntry {
  readonly category: ErrorCategory;
  /** The RocketMQ response code that an answer built from this error carries. */
  readonly responseCode: number;
  readonly text: string;
}

export const ErrorCatalogue = {
  // Frames and headers: the peer is closed or answered.
  PROTOCOL_FRAME_LENGTH: entry('reject', 1, 'the announced frame length is out of bounds'),
  PROTOCOL_HEADER_LENGTH: entry('reject', 1, 'the header is longer than its frame'),
  PROTOCOL_SERIALIZE_TYPE: entry('reject', 1, 'the serialize type is unknown'),
  PROTOCOL_HEADER_INVALID: entry('reject', 1, 'the header can not be read'),
  PROTOCOL_HEADER_TOO_LARGE: entry('reject', 13, 'the header does not fit in a frame'),
  PROTOCOL_BODY_INVALID: entry('reject', 1, 'the body can not be read'),
  PROTOCOL_FIELD_MISSING: entry('reject', 1, 'a required header field is missing'),
  PROTOCOL_FIELD_INVALID: entry('reject', 1, 'a header field has a value that can not be used'),
  PROTOCOL_NUMBER_RANGE: entry('reject', 1, 'a number is outside the range of its field'),
  JSON_INVALID: entry('reject', 1, 'the text is no JSON'),
  // Messages.
  MESSAGE_INVALID: entry('reject', 13, 'the message record can not be read'),
  MESSAGE_TOO_LARGE: entry('reject', 13, 'the message is larger than a record may be'),
  MESSAGE_ID_INVALID: entry('reject', 1, 'the message id can not be read'),
  BATCH_INVALID: entry('reject', 13, 'the batch body can not be read'),
  COMPRESSION_UNSUPPORTED: entry('reject', 13, 'the compression type is not supported'),
  COMPRESSION_INVALID: entry('reject', 13, 'the compressed body can not be read'),
  PROPERTY_INVALID: entry('reject', 13, 'a property name or value can not be stored'),
  // Addresses and files.
  ADDRESS_INVALID: entry('reject', 1, 'the text is no address'),
  CONFIG_INVALID: entry('reject', 1, 'the configuration can not be used'),
  CONFIG_FILE_DAMAGED: entry('fatal', 1, 'neither the file nor its backup can be read'),
  FILE_IO: entry('fatal', 1, 'a file operation failed'),
  // Remoting.
  CONNECT_FAILED: entry('retry', 1, 'no connection to the address'),
  SEND_FAILED: entry('retry', 1, 'the request could not be sent'),
  REQUEST_TIMEOUT: entry('retry', 1, 'no answer came in time'),
  CONNECTION_CLOSED: entry('retry', 1, 'the connection closed before the answer came'),
  TOO_MANY_REQUESTS: entry('retry', 2, 'too many requests are waiting for their answers'),
  // Broker and store.
  SYSTEM_BUSY: entry('retry', 2, 'the system is busy'),
  REQUEST_CODE_NOT_SUPPORTED: entry('reject', 3, 'the request code is not supported'),
  SERVICE_NOT_AVAILABLE: entry('retry', 14, 'the service is not available'),
  NO_PERMISSION: entry('reject', 16, 'the permission is missing'),
  // Clients of Java's know it by the name of the class.
  ACL_REFUSED: entry('reject', 1, 'org.apache.rocketmq.acl.common.AclException'),
  TOPIC_NOT_EXIST: entry('reject', 17, 'the topic does not exist'),
  QUERY_NOT_FOUND: entry('reject', 22, 'nothing was found'),
  STORE_FAILED: entry('fatal', 14, 'the store has failed and takes no more messages'),
  STORE_LOCKED: entry('fatal', 14, 'another process has the store open'),
  STORE_DAMAGED: entry('fatal', 14, 'the store can not be opened as it is'),
  DISK_FULL: entry('retry', 14, 'the disk is full'),
  SHUTDOWN: entry('retry', 14, 'the service is shutting down'),
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ErrorCatalogue;

export class CometError extends Error {
  override readonly name = 'CometError';
  readonly code: ErrorCode;
  readonly category: ErrorCategory;
  readonly responseCode: number;

  constructor(code: ErrorCode, detail?: string, cause?: unknown) {
    const { text, category, responseCode } = ErrorCatalogue[code];
    super(detail === undefined ? text : `${text}: ${detail}`, cause === undefined ? {} : { cause });
    this.code = code;
    this.category = category;
    this.responseCode = responseCode;
  }
}

/** The error of a catalogue code; the detail follows the catalogue's text. */
export function cometError(code: ErrorCode, detail?: string, cause?: unknown): CometError {
  return new CometError(code, detail, cause);
}

export function isCometError(value: unknown, code?: ErrorCode): value is CometError {
  return value instanceof CometError && (code === undefined || value.code === code);
}

function entry<C extends ErrorCategory>(category: C, responseCode: number, text: string) {
  return { category, responseCode, text };
}

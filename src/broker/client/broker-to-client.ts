// Room: broker, main thread. The few requests that the broker sends to its clients (protocol 2.11), over the connections of
// their heartbeats. Notices are oneway and never wait; calls have a deadline and end in an answer or an error.

import { getLogger } from '../../base/logger.js';
import { LanguageCode } from '../../protocol/language-code.js';
import { createRequest, type RemotingCommand } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';
import type { ClientConnection } from './client-channel-info.js';

const log = getLogger('broker.client');

/** Calls that a tool waits for: 307 and 309. */
export const CALL_CLIENT_TIMEOUT_MS = 10_000;
export const CONSUMER_STATUS_TIMEOUT_MS = 5_000;

export class BrokerToClient {
  /** Rebalance at once: members or topics of the group changed. */
  notifyConsumerIdsChanged(connection: ClientConnection, consumerGroup: string): void {
    this.#notify(
      connection,
      createRequest(
        RequestCode.NOTIFY_CONSUMER_IDS_CHANGED,
        { consumerGroup },
        null,
        LanguageCode.JAVA,
      ),
    );
  }

  /** isForce is not told to the client, as Java's broker does not. */
  resetOffset(
    connection: ClientConnection,
    topic: string,
    group: string,
    timestamp: number,
    body: Buffer,
  ): void {
    const fields = { topic, isForce: 'false', group, timestamp: String(timestamp) };
    this.#notify(
      connection,
      createRequest(RequestCode.RESET_CONSUMER_CLIENT_OFFSET, fields, body, LanguageCode.JAVA),
    );
  }

  /** What became of the transaction of this half message? The answer, if any, is an END_TRANSACTION. */
  checkTransactionState(
    connection: ClientConnection,
    fields: Record<string, string>,
    record: Buffer,
  ): void {
    this.#notify(
      connection,
      createRequest(RequestCode.CHECK_TRANSACTION_STATE, fields, record, LanguageCode.JAVA),
    );
  }

  getConsumerStatus(
    connection: ClientConnection,
    topic: string,
    group: string,
  ): Promise<RemotingCommand> {
    const request = createRequest(
      RequestCode.GET_CONSUMER_STATUS_FROM_CLIENT,
      { topic, group },
      null,
      LanguageCode.JAVA,
    );
    return connection.invoke(request, CONSUMER_STATUS_TIMEOUT_MS);
  }

  /** Hands a tool's request on as it is; the client's answer comes back as it is. */
  forward(connection: ClientConnection, request: RemotingCommand): Promise<RemotingCommand> {
    const onward = createRequest(request.code, request.extFields, request.body, LanguageCode.JAVA);
    return connection.invoke(onward, CALL_CLIENT_TIMEOUT_MS);
  }

  #notify(connection: ClientConnection, command: RemotingCommand): void {
    if (connection.isClosed) return;
    try {
      connection.invokeOneway(command);
    } catch (error) {
      log.warn('notice to a client failed', {
        code: command.code,
        address: connection.remoteAddress,
        err: error,
      });
    }
  }
}

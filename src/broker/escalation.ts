// Room: broker, main thread. Frames that a worker could not decide on: new topics and groups are made here, retries and dead
// letters stored, broken headers answered with the field's name (architecture 2).
// Always holds: each frame is resubmitted or answered, once.

import { AssertionError } from '../base/assert.js';
import { isCometError } from '../base/errors.js';
import { isRetryTopic } from '../message/topic-validator.js';
import { decodeFrame, encodeFrame } from '../protocol/frame-codec.js';
import { requireInt, requireLong, requireText } from '../protocol/header-fields.js';
import { isOneway, type RemotingCommand } from '../protocol/remoting-command.js';
import { RequestCode } from '../protocol/request-code.js';
import { ResponseCode } from '../protocol/response-code.js';
import { errorResponse } from '../remoting/request-dispatcher.js';
import type { BrokerContext } from './broker-context.js';
import type { ControlPlaneHooks, DataPlaneConnection, EscalationReason } from './control-plane.js';
import { FAQ_SUFFIX, failure } from './processor/answers.js';
import { sendRetryMessage } from './processor/retry-send-processor.js';
import { refused, topicForSend, topicNotExist } from './processor/send-checks.js';
import { decodeSendHeader } from './processor/send-header.js';

/** Null: the frame went back to the worker, who answers it. */
type Decision = RemotingCommand | null;

export class Escalation {
  readonly #broker: BrokerContext;
  readonly #hooks: ControlPlaneHooks;

  constructor(broker: BrokerContext, hooks: ControlPlaneHooks) {
    this.#broker = broker;
    this.#hooks = hooks;
  }

  /** The frame is whole and belongs to the callee. The promise is there for tests; it does not reject. */
  async handle(
    reason: EscalationReason,
    frame: Buffer,
    connection: DataPlaneConnection,
  ): Promise<void> {
    let request: RemotingCommand;
    try {
      request = decodeFrame(frame);
    } catch (error) {
      if (!isCometError(error)) throw error;
      connection.close(`a frame that can not be read: ${error.message}`);
      return;
    }
    let response: Decision;
    try {
      response = await this.#decide(reason, request, frame, connection);
    } catch (error) {
      if (error instanceof AssertionError) throw error;
      response = errorResponse(request, error);
    }
    if (response === null || isOneway(request) || connection.isClosed) return;
    connection.send(encodeFrame(response));
  }

  async #decide(
    reason: EscalationReason,
    request: RemotingCommand,
    frame: Buffer,
    connection: DataPlaneConnection,
  ): Promise<Decision> {
    if (request.code === RequestCode.PULL_MESSAGE)
      return this.#pull(reason, request, frame, connection);
    const header = decodeSendHeader(request);
    // What is still unknown after it came back once was deleted meanwhile, or could not be made.
    if (this.#broker.topics.get(header.topic) === undefined) {
      if (reason !== 'TOPIC_NOT_FOUND') return topicNotExist(this.#broker, request, header.topic);
      const { refusal } = await topicForSend(this.#broker, request, header, connection);
      if (refusal !== null) return refusal;
    }
    if (isRetryTopic(header.topic) && !header.batch) {
      return sendRetryMessage(this.#broker, request, connection);
    }
    if (reason === 'TOPIC_NOT_FOUND') return this.#resubmit(frame, connection);
    const remark = 'the header of the send can not be used';
    return refused(this.#broker, request, ResponseCode.SYSTEM_ERROR, remark);
  }

  #pull(
    reason: EscalationReason,
    request: RemotingCommand,
    frame: Buffer,
    connection: DataPlaneConnection,
  ): Decision {
    const group = requireText(request, 'consumerGroup');
    const topic = requireText(request, 'topic');
    if (reason === 'GROUP_NOT_FOUND') {
      if (this.#broker.groups.findOrCreate(group) !== null)
        return this.#resubmit(frame, connection);
      const remark = `subscription group [${group}] does not exist, ${FAQ_SUFFIX}`;
      return failure(request, ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, remark);
    }
    if (reason === 'TOPIC_NOT_FOUND') {
      if (this.#broker.topics.get(topic) !== undefined) return this.#resubmit(frame, connection);
      const remark = `topic[${topic}] not exist, apply first please! ${FAQ_SUFFIX}`;
      return failure(request, ResponseCode.TOPIC_NOT_EXIST, remark);
    }
    for (const name of ['queueId', 'maxMsgNums', 'sysFlag']) requireInt(request, name);
    for (const name of ['queueOffset', 'commitOffset', 'suspendTimeoutMillis', 'subVersion']) {
      requireLong(request, name);
    }
    return failure(request, ResponseCode.SYSTEM_ERROR, 'the header of the pull can not be used');
  }

  #resubmit(frame: Buffer, connection: DataPlaneConnection): null {
    if (!connection.isClosed) this.#hooks.resubmit(frame, connection);
    return null;
  }
}

// Room: namesrv. Main thread. What REGISTER_BROKER (103) and its relatives carry in header and body, as the tables take it.
// Always holds: a request that can not be read changes nothing and is answered with what was wrong.

import { decodeRegisterBody, registerBodyCrc } from '../protocol/bodies/register-broker-body.js';
import {
  optionalBoolean,
  optionalInt,
  requireLong,
  requireString,
} from '../protocol/header-fields.js';
import type { RemotingCommand } from '../protocol/remoting-command.js';
import type { BrokerChannel } from './broker-live-table.js';
import type { BrokerIdentity, Registration } from './route-info-manager.js';

export function brokerIdentity(command: RemotingCommand): BrokerIdentity {
  return {
    clusterName: requireString(command, 'clusterName'),
    brokerAddr: requireString(command, 'brokerAddr'),
    brokerName: requireString(command, 'brokerName'),
    brokerId: requireLong(command, 'brokerId'),
  };
}

/** Throws PROTOCOL_FIELD_… or PROTOCOL_BODY_INVALID. */
export function readRegistration(command: RemotingCommand, channel: BrokerChannel): Registration {
  const isCompressed = optionalBoolean(command, 'compressed') === true;
  const body = decodeRegisterBody(command.body, command.version, isCompressed);
  const { dataVersion, topicConfigTable } = body.topicConfigSerializeWrapper;
  return {
    ...brokerIdentity(command),
    haServerAddr: requireString(command, 'haServerAddr'),
    dataVersion,
    topics: topicConfigTable.values(),
    filterServers: body.filterServerList,
    channel,
  };
}

/** A checksum of 0 or none is not checked. */
export function isChecksumRight(command: RemotingCommand): boolean {
  const expected = optionalInt(command, 'bodyCrc32') ?? 0;
  return expected === 0 || registerBodyCrc(command.body ?? Buffer.alloc(0)) === expected;
}

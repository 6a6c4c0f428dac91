// Room: broker, main thread. What the worker threads need to know of the broker's configuration, as plain data.

import type { BrokerConfig } from '../base/config.js';
import type { BrokerSettings } from '../workers/worker-settings.js';

export function brokerSettingsOf(config: BrokerConfig): BrokerSettings {
  return {
    clusterName: config.brokerClusterName,
    brokerIp: config.brokerIP1,
    brokerId: config.brokerId,
    regionId: config.regionId,
    traceOn: config.traceOn,
    rejectTransactionMessage: config.rejectTransactionMessage,
    startAcceptSendRequestTimeStamp: config.startAcceptSendRequestTimeStamp,
    waitTimeMillsInSendQueue: config.brokerFastFailureEnable ? config.waitTimeMillsInSendQueue : 0,
    longPollingEnable: config.longPollingEnable,
    shortPollingTimeMills: config.shortPollingTimeMills,
    slaveReadEnable: config.slaveReadEnable,
    enablePropertyFilter: config.enablePropertyFilter,
    enableCalcFilterBitMap: config.enableCalcFilterBitMap,
    maxErrorRateOfBloomFilter: config.maxErrorRateOfBloomFilter,
    expectConsumerNumUseFilter: config.expectConsumerNumUseFilter,
  };
}

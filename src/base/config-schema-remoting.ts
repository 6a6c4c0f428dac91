// Room: base. Any thread. Java's NettyServerConfig, NettyClientConfig and NamesrvConfig as data (storage.md 26), in their order.

import {
  bool,
  int,
  long,
  optionalText,
  type PropertyTable,
  port,
  text,
} from './config-property.js';

/** org.apache.rocketmq.remoting.netty.NettyServerConfig; broker and name server have ports of their own. */
export const nettyServerProperties = {
  listenPort: port(8888),
  serverWorkerThreads: int(8, { unused: true }),
  serverCallbackExecutorThreads: int(0, { unused: true }),
  serverSelectorThreads: int(3, { unused: true }),
  serverOnewaySemaphoreValue: int(256, { unused: true }),
  serverAsyncSemaphoreValue: int(64, { unused: true }),
  serverChannelMaxIdleTimeSeconds: int(120, { change: 'restart', min: 1 }),
  serverSocketSndBufSize: int(0, { unused: true }),
  serverSocketRcvBufSize: int(0, { unused: true }),
  writeBufferHighWaterMark: int(0, { unused: true }),
  writeBufferLowWaterMark: int(0, { unused: true }),
  serverSocketBacklog: int(1024, { min: 1 }),
  serverPooledByteBufAllocatorEnable: bool(true, { unused: true }),
  useEpollNativeSelector: bool(false, { unused: true }),
} as const satisfies PropertyTable;

/** org.apache.rocketmq.remoting.netty.NettyClientConfig. */
export const nettyClientProperties = {
  clientWorkerThreads: int(4, { unused: true }),
  clientCallbackExecutorThreads: int(2, { unused: true }),
  clientOnewaySemaphoreValue: int(65_535),
  clientAsyncSemaphoreValue: int(65_535),
  connectTimeoutMillis: int(3000, { min: 1 }),
  channelNotActiveInterval: long(60_000, { unused: true }),
  clientChannelMaxIdleTimeSeconds: int(120, { min: 1 }),
  clientSocketSndBufSize: int(0, { unused: true }),
  clientSocketRcvBufSize: int(0, { unused: true }),
  clientPooledByteBufAllocatorEnable: bool(false, { unused: true }),
  clientCloseSocketIfTimeout: bool(true),
  useTLS: bool(false),
  writeBufferHighWaterMark: int(0, { unused: true }),
  writeBufferLowWaterMark: int(0, { unused: true }),
} as const satisfies PropertyTable;

/** org.apache.rocketmq.common.namesrv.NamesrvConfig. */
export const namesrvProperties = {
  rocketmqHome: optionalText((machine) => machine.env['ROCKETMQ_HOME'] ?? null),
  kvConfigPath: text((machine) => `${machine.homeDir}/namesrv/kvConfig.json`),
  configStorePath: text((machine) => `${machine.homeDir}/namesrv/namesrv.properties`),
  productEnvName: text('center', { change: 'hot', unused: true }),
  clusterTest: bool(false, { change: 'hot', unused: true }),
  orderMessageEnable: bool(false, { change: 'hot' }),
} as const satisfies PropertyTable;

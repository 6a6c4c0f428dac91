// Helpers of the remoting tests: servers on free ports, raw sockets, conditions instead of sleeps.

import { connect, type Socket } from 'node:net';
import { createResponse, type RemotingCommand } from '../../src/protocol/remoting-command.js';
import type { Connection } from '../../src/remoting/connection.js';
import { RemotingServer, type RemotingServerOptions } from '../../src/remoting/remoting-server.js';
import {
  DispatchingFrameHandler,
  RequestDispatcher,
} from '../../src/remoting/request-dispatcher.js';
import type { TlsServerConfig } from '../../src/remoting/tls.js';

export const ECHO = 7000;
export const FAIL = 7001;

export const tlsDefaults: TlsServerConfig = {
  'tls.server.mode': 'permissive',
  'tls.test.mode.enable': true,
  'tls.server.keyPath': null,
  'tls.server.keyPassword': null,
  'tls.server.certPath': null,
  'tls.server.authClient': false,
  'tls.server.trustCertPath': null,
  'tls.server.need.client.auth': 'none',
};

export interface EchoServer {
  readonly server: RemotingServer;
  readonly addr: string;
  readonly dispatcher: RequestDispatcher;
  readonly requests: RemotingCommand[];
  readonly opened: Connection[];
  readonly closed: string[];
}

/** A server that answers ECHO with the request's body and fails on FAIL. */
export async function startEcho(options: Partial<RemotingServerOptions> = {}): Promise<EchoServer> {
  const dispatcher = new RequestDispatcher();
  const requests: RemotingCommand[] = [];
  const opened: Connection[] = [];
  const closed: string[] = [];
  dispatcher.register([ECHO], (command) => {
    requests.push(command);
    const response = createResponse(command, 0);
    response.body = command.body;
    return response;
  });
  dispatcher.register([FAIL], () => {
    throw new TypeError('broken on purpose');
  });
  const frames = new DispatchingFrameHandler(dispatcher);
  const server = new RemotingServer({
    host: '127.0.0.1',
    port: 0,
    handler: {
      onFrame: (connection, frame) => frames.onFrame(connection, frame),
      onConnect: (connection) => opened.push(connection),
      onClose: (_connection, reason) => closed.push(reason),
    },
    ...options,
  });
  await server.start();
  return { server, addr: `127.0.0.1:${server.port}`, dispatcher, requests, opened, closed };
}

export async function rawSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return socket;
}

export async function until(what: string, condition: () => boolean, limitMs = 5000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

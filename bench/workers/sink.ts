// The far end of 02-remoting: a thread that accepts connections and throws away what they bring.

import { createServer } from 'node:net';
import { parentPort } from 'node:worker_threads';

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  socket.resume();
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  parentPort?.postMessage(typeof address === 'object' ? address?.port : 0);
});

import { expect, test } from 'vitest';
import { createRequest, createResponse } from '../../src/protocol/remoting-command.js';
import { ResponseTable } from '../../src/remoting/response-table.js';

function request(opaque: number) {
  const command = createRequest(105);
  command.opaque = opaque;
  return command;
}

test('each waiter gets its own answer, whatever the order', async () => {
  const table = new ResponseTable('peer');
  const waits = [1, 2, 3].map((opaque) => table.wait(request(opaque), 1000));
  for (const opaque of [3, 1, 2]) table.complete(createResponse(request(opaque), opaque));
  expect((await Promise.all(waits)).map(({ code }) => code)).toEqual([1, 2, 3]);
  expect(table.size).toBe(0);
});

test('deadlines are kept in their own order, the later one set first', async () => {
  const table = new ResponseTable('peer');
  const ended: number[] = [];
  const waits = [60, 20, 40].map((timeoutMs) =>
    table.wait(request(timeoutMs), timeoutMs).catch((error: { code: string }) => {
      expect(error.code).toBe('REQUEST_TIMEOUT');
      ended.push(timeoutMs);
    }),
  );
  await Promise.all(waits);
  expect(ended).toEqual([20, 40, 60]);
});

test('an answer that comes too late finds nobody', async () => {
  const table = new ResponseTable('peer');
  await expect(table.wait(request(1), 1)).rejects.toThrow(/1 ms/);
  expect(table.complete(createResponse(request(1), 0))).toBe(false);
});

test('the end of the connection ends all waits', async () => {
  const table = new ResponseTable('peer');
  const waits = [1, 2].map((opaque) => table.wait(request(opaque), 60_000));
  table.failAll('reset');
  for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
});

test('a number in use is refused, not overwritten', async () => {
  const table = new ResponseTable('peer');
  const first = table.wait(request(1), 1000);
  await expect(table.wait(request(1), 1000)).rejects.toMatchObject({ code: 'SEND_FAILED' });
  table.complete(createResponse(request(1), 0));
  expect((await first).code).toBe(0);
});

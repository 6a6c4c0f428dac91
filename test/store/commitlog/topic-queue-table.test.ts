import { expect, test } from 'vitest';
import { TopicQueueTable } from '../../../src/store/commitlog/topic-queue-table.js';

test('takes the offsets that recovery found, whatever dashes a topic has', () => {
  const table = new TopicQueueTable(
    new Map([
      ['a-1', 5],
      ['a-b-12', 6],
      ['%RETRY%g-0', 7],
    ]),
  );
  expect(table.find('a')?.next(1)).toBe(5);
  expect(table.find('a-b')?.next(12)).toBe(6);
  expect(table.find('%RETRY%g')?.next(0)).toBe(7);
  expect(table.find('a')?.next(2)).toBe(0);
});

test('gives a topic’s bytes as UTF-8, and the same entry each time', () => {
  const table = new TopicQueueTable();
  const topic = table.find('thé');
  expect(Buffer.from(topic?.bytes ?? []).toString('hex')).toBe('7468c3a9');
  table.find('other');
  expect(table.find('thé')).toBe(topic);
});

test('a forgotten topic begins anew even when it was the one used last', () => {
  const table = new TopicQueueTable();
  table.find('t')?.set(3, 9);
  table.forget(['t']);
  expect(table.find('t')?.next(3)).toBe(0);
});

import { describe, expect, it } from 'vitest';
import {
  createRequest,
  createResponse,
  isOneway,
  isResponse,
  markOneway,
  SerializeType,
} from '../../src/protocol/remoting-command.js';

describe('a response', () => {
  it('has the number and the encoding of its request', () => {
    const request = createRequest(10);
    request.opaque = 77;
    request.serializeType = SerializeType.ROCKETMQ;
    const response = createResponse(request, 1, 'no');
    expect(response).toMatchObject({
      code: 1,
      opaque: 77,
      serializeType: 1,
      flag: 1,
      remark: 'no',
    });
    expect([isResponse(response), isOneway(response)]).toEqual([true, false]);
  });

  it('is JSON when there was no request', () => {
    expect(createResponse(null, 0)).toMatchObject({ opaque: 0, serializeType: 0, version: 407 });
  });
});

describe('a request', () => {
  it('is of version 407 and asks for an answer until it is marked oneway', () => {
    const request = createRequest(15, { a: 'b' });
    expect(request).toMatchObject({ version: 407, language: 7, flag: 0 });
    expect([isResponse(request), isOneway(request)]).toEqual([false, false]);
    markOneway(request);
    expect(isOneway(request)).toBe(true);
  });
});

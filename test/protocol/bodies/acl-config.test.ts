import { describe, expect, it } from 'vitest';
import { decodeAclConfig, encodeAclConfig } from '../../../src/protocol/bodies/acl-config.js';

describe('the accounts of a broker', () => {
  it('are written in the shape of protocol.md 2.7 and read again', () => {
    const config = {
      globalWhiteAddrs: ['10.0.0.*'],
      plainAccessConfigs: [
        {
          accessKey: 'RocketMQ',
          admin: false,
          defaultGroupPerm: 'SUB',
          defaultTopicPerm: 'DENY',
          groupPerms: ['g=SUB'],
          secretKey: '12345678',
          topicPerms: ['t=PUB|SUB'],
          whiteRemoteAddress: '',
        },
      ],
    };
    const text = encodeAclConfig(config).toString();
    expect(text).toBe(
      '{"globalWhiteAddrs":["10.0.0.*"],"plainAccessConfigs":[{"accessKey":"RocketMQ","admin":false,' +
        '"defaultGroupPerm":"SUB","defaultTopicPerm":"DENY","groupPerms":["g=SUB"],"secretKey":"12345678",' +
        '"topicPerms":["t=PUB|SUB"],"whiteRemoteAddress":""}]}',
    );
    expect(decodeAclConfig(text)).toEqual(config);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CometError } from '../../src/base/errors.js';
import { compressBody, uncompressedBody } from '../../src/message/compression.js';
import { decodeMessages } from '../../src/message/message-decoder.js';
import { goldenStoreFiles } from '../golden-data.js';

const compressed = [...goldenStoreFiles('store-main.tar.gz')]
  .filter(([path]) => path.startsWith('commitlog/'))
  .flatMap(([, bytes]) => decodeMessages(bytes))
  .filter((message) => (message.sysFlag & 0x1) !== 0);

describe('uncompressedBody', () => {
  it('reads what Java producers compressed with ZLIB and LZ4', () => {
    const types = new Map<number, number>();
    for (const { body, sysFlag } of compressed) {
      const type = (sysFlag & 0x700) >> 8;
      if (type === 2) continue;
      const plain = uncompressedBody(body, sysFlag).toString('utf8');
      expect(plain.length).toBeGreaterThan(body.length);
      expect(plain).not.toContain('\ufffd');
      types.set(type, (types.get(type) ?? 0) + 1);
    }
    expect([...types.keys()].sort()).toEqual([1, 3]);
  });

  it('leaves a body alone that is not compressed', () => {
    const body = Buffer.from('plain');
    expect(uncompressedBody(body, 0x300)).toBe(body);
  });

  it('refuses types that nobody knows', () => {
    expect(() => uncompressedBody(Buffer.alloc(8), 0x401)).toThrow(/type 4/);
  });

  it('throws only catalogue errors on damaged bodies', () => {
    const bodies = compressed.filter(({ sysFlag }) => (sysFlag & 0x700) !== 0x200);
    fc.assert(
      fc.property(fc.nat(bodies.length - 1), fc.nat(1 << 20), fc.nat(255), (index, at, value) => {
        const { body, sysFlag } = bodies[index] as (typeof bodies)[number];
        const damaged = Buffer.from(body);
        damaged[at % damaged.length] = value;
        try {
          uncompressedBody(damaged, sysFlag);
        } catch (error) {
          expect(error).toBeInstanceOf(CometError);
        }
      }),
    );
  });
});

describe('compressBody', () => {
  it('marks the body as Java does and can be undone', () => {
    const body = Buffer.from('x'.repeat(5000));
    const packed = compressBody(body, 0x112);
    expect(packed.sysFlag).toBe(0x313);
    expect(packed.body.length).toBeLessThan(100);
    expect(uncompressedBody(packed.body, packed.sysFlag)).toEqual(body);
  });
});

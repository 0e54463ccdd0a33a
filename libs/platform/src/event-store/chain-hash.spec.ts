import { createHash } from 'node:crypto';
import { chainHash, GENESIS } from './chain-hash';

describe('the chain hash', () => {
  const event = {
    id: '7fef99ea-3046-495a-8482-5ee4979925ed',
    type: 'LinkCreated',
    data: { name: 'Ä', clicks: 1 },
    metadata: { actor: 'usr_1' },
    stream: 'org_1-link-link_1',
    revision: 0,
  };

  it('is SHA-256 over this very text', () => {
    const text =
      '{"data":{"clicks":1,"name":"Ä"},"id":"7fef99ea-3046-495a-8482-5ee4979925ed","metadata":{"actor":"usr_1"},' +
      `"organization":"org_1","previousHash":"${GENESIS}","revision":0,"sealed":null,` +
      '"stream":"org_1-link-link_1","type":"LinkCreated"}';
    expect(chainHash(event, GENESIS)).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('changes with everything it covers', () => {
    const others = [
      { ...event, id: '7fef99ea-3046-495a-8482-5ee4979925ee' },
      { ...event, type: 'LinkDeleted' },
      { ...event, data: {} },
      { ...event, metadata: {} },
      { ...event, sealed: 'AAAA' },
      { ...event, stream: 'org_2-link-link_1' },
      { ...event, revision: 1 },
    ];
    const hashes = [event, ...others].map((one) => chainHash(one, GENESIS));
    expect(new Set([...hashes, chainHash(event, 'f'.repeat(64))]).size).toBe(9);
  });
});

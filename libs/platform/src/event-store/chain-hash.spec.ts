import { createHash } from 'node:crypto';
import { chainHash, contentHash, GENESIS } from './chain-hash';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the chain hash', () => {
  const first = {
    id: '7fef99ea-3046-495a-8482-5ee4979925ed',
    type: 'LinkCreated',
    data: { name: 'Ä', clicks: 1 },
    metadata: { actor: 'usr_1' },
    stream: 'org_1-link-link_1',
    revision: 0,
  };

  it('includes the content as its hash, from the second schema on', () => {
    const second = { ...first, sealed: 'AAAA', metadata: { schemaVersion: '2' } };
    const content =
      '{"data":{"clicks":1,"name":"Ä"},"id":"7fef99ea-3046-495a-8482-5ee4979925ed","metadata":{"schemaVersion":"2"},' +
      '"organization":"org_1","revision":0,"sealed":"AAAA","stream":"org_1-link-link_1","type":"LinkCreated"}';
    expect(contentHash(second)).toBe(sha256(content));
    expect(chainHash(second, GENESIS)).toBe(sha256(`{"content":"${sha256(content)}","previousHash":"${GENESIS}"}`));
  });

  it('is SHA-256 over this very text for an event of the first schema', () => {
    const text =
      '{"data":{"clicks":1,"name":"Ä"},"id":"7fef99ea-3046-495a-8482-5ee4979925ed","metadata":{"actor":"usr_1"},' +
      `"organization":"org_1","previousHash":"${GENESIS}","revision":0,"sealed":null,` +
      '"stream":"org_1-link-link_1","type":"LinkCreated"}';
    expect(chainHash(first, GENESIS)).toBe(sha256(text));
    expect(chainHash({ ...first, metadata: { schemaVersion: '1' } }, GENESIS)).toBe(
      sha256(text.replace('"metadata":{"actor":"usr_1"}', '"metadata":{"schemaVersion":"1"}')),
    );
  });

  it.each(['1', '2'])('changes with everything it covers: schema %s', (schemaVersion) => {
    const event = { ...first, metadata: { schemaVersion } };
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

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Json } from '@ledgerline/contracts/json';
import { canonicalJson, chainHash, contentHash, GENESIS, proofOf } from './appended-events';
import type { HistoryEntry } from './event-store';

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

describe('the proof of an entry', () => {
  it('is its hash at its place', () => expect(proofOf(sealed)).toBe('sealed'));

  it('is not there yet while it is new', () => expect(proofOf({ ...entry, chain: null })).toBe('pending'));

  it('is none once its content or its hash was changed', () => {
    expect(proofOf({ ...sealed, metadata: { actor: 'key_1' } })).toBe('unproven');
    expect(proofOf({ ...sealed, chain: { ...sealed.chain!, hash: GENESIS } })).toBe('unproven');
  });

  it('is none where the store finds something wrong', () => {
    expect(proofOf({ ...entry, chain: null, doubt: 'overdue' })).toBe('unproven');
    expect(proofOf({ ...sealed, doubt: 'foreign' })).toBe('unproven');
  });
});

const entry = {
  stream: 'org_1-link-link_1',
  revision: 0,
  id: '00000000-0000-4000-8000-000000000000',
  type: 'LinkCreated',
  data: { name: 'Sale' },
  metadata: { actor: 'usr_1', schemaVersion: '2' },
  cursor: '1',
  recordedAt: new Date(0),
};
const chain = { revision: 0, previousHash: GENESIS, hash: chainHash(entry, GENESIS) };
const sealed: HistoryEntry = { ...entry, chain };

describe('canonical JSON', () => {
  it('writes the examples of RFC 8785 as the RFC does', () => {
    // oxlint-disable-next-line no-loss-of-precision -- an example of the RFC
    const numbers = [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001];
    const string = '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/';
    expect(canonicalJson({ numbers, string, literals: [null, true, false] })).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const names = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
    expect(canonicalJson(Object.fromEntries(names.map((name) => [name, 0])))).toBe(
      '{"\\r":0,"1":0,"\u0080":0,"\u00f6":0,"\u20ac":0,"\u{1f600}":0,"\ufb33":0}',
    );
  });

  it('is the same before and after a journey through JSON', () => {
    const property = fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const back = JSON.parse(JSON.stringify(value)) as Json;
      expect(canonicalJson(back)).toBe(canonicalJson(value as Json));
    });
    fc.assert(property, { seed: 8785, numRuns: 60 });
  });

  it('writes lone surrogates as escapes and drops what JSON drops', () => {
    expect(canonicalJson({ b: '\ud800', a: undefined, '\u0000': [1e21, -0] })).toBe(
      '{"\\u0000":[1e+21,0],"b":"\\ud800"}',
    );
  });
});

import { chainHash, GENESIS } from './chain-hash';
import { proofOf } from './entry-proof';
import type { HistoryEntry } from './event-store';

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

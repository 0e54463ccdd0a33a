import { specify } from '@test/domain/given';
import { erasure } from './erasure.decider';

describe('an erasure', () => {
  it('is recorded with the keys that were destroyed', () =>
    specify(erasure)().when({ type: 'EraseSubject', data: erased }).then({ type: 'SubjectErased', data: erased }));
});

const erased = {
  organizationId: 'org_1',
  erasureId: 'era_1',
  subject: { userId: 'usr_1' },
  destroyedKeyIds: ['sk_1'],
};

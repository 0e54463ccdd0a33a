import type { LinkEvent } from '@ledgerline/contracts/events/link.events';
import { plainLink } from '../links/link.decider';
import { linkOf } from './record-changes';

describe('the link of a stream', () => {
  it('is absent before it is created and after it is deleted', () => {
    expect(linkOf([])).toBeUndefined();
    const data = { linkId: 'link_1', organizationId: 'org_1', slug: 'Spring', name: 'Spring sale' };
    expect(history(created, { type: 'LinkDeleted', data })).toBeUndefined();
  });

  it('has its details, its author and its times', () => {
    const times = { createdAt: at(0), updatedAt: at(0), revision: 0 };
    expect(history(created)).toEqual({ id: 'link_1', ...details, createdBy: 'usr_1', ...times });
  });

  it('follows changes, and keeps its author', () => {
    const data = { linkId: 'link_1', ...details, slug: 'Summer', before: { slug: 'Spring' } };
    const times = { createdAt: at(0), updatedAt: at(1), revision: 1 };
    const changed = history(created, { type: 'LinkUpdated', data });
    expect(changed).toEqual({ id: 'link_1', ...details, slug: 'Summer', createdBy: 'usr_1', ...times });
  });
});

const details = {
  organizationId: 'org_1',
  slug: 'Spring',
  name: 'Spring sale',
  targetUrl: 'https://example.com/spring',
  ...plainLink,
};
const created: LinkEvent = { type: 'LinkCreated', data: { ...details, linkId: 'link_1', createdBy: 'usr_1' } };

const at = (revision: number) => new Date(Date.UTC(2026, 0, 1 + revision));
const history = (...events: readonly LinkEvent[]) =>
  linkOf(events.map((event, revision) => ({ ...event, revision, recordedAt: at(revision) })));

import type { SlugReserved } from '@ledgerline/contracts/events/link.events';
import { specify } from '@test/domain/given';
import { slug, type ReserveSlug } from './slug.decider';

describe('a slug', () => {
  it('is reserved for one link', () => given().when(reserve('Spring')).then(reserved));
  it('is never reserved for another link', () =>
    given(reserved).when(reserve('Spring', 'link_2')).rejects('SLUG_TAKEN'));
  it('stays with its link, which may go back to it', () => given(reserved).when(reserve('Spring')).then());
  it('is never the name of a route', () => given().when(reserve('health')).rejects('SLUG_INVALID'));
});

const given = specify(slug);
const data = (text: string, linkId = 'link_1') => ({ slug: text, linkId, organizationId: 'org_1' });
const reserve = (text: string, linkId?: string): ReserveSlug => ({ type: 'ReserveSlug', data: data(text, linkId) });
const reserved: SlugReserved = { type: 'SlugReserved', data: data('Spring') };

import type { SlugReserved } from '@ledgerline/contracts/events/link.events';
import { specify } from '../../../../test/domain/given';
import { slug, type ReserveSlug } from './slug.decider';

describe('a slug', () => {
  it('is reserved for one link', () => given().when(reserve('Spring')).then(reserved));
  it('is never reserved again', () => given(reserved).when(reserve('Spring')).rejects('SLUG_TAKEN'));
  it('is never the name of a route', () => given().when(reserve('health')).rejects('SLUG_INVALID'));
});

const given = specify(slug);
const data = (text: string) => ({ slug: text, linkId: 'link_1', organizationId: 'org_1' });
const reserve = (text: string): ReserveSlug => ({ type: 'ReserveSlug', data: data(text) });
const reserved: SlugReserved = { type: 'SlugReserved', data: data('Spring') };

import { pagesOf } from '../../scripts/pictures/pages';
import { documentAt, linksOf } from './documents';

const NO_IDS = { organizationId: '', websiteId: '', linkId: '', flagId: '', monitorId: '', statusPageId: '' };

describe('docs/console.md', () => {
  it('shows every picture that npm run pictures takes', () => {
    const taken = [
      'sign-in',
      ...pagesOf(NO_IDS).flatMap(({ name, also = [] }) => [name, ...also.map((look) => name + look.name)]),
    ];
    const shown = linksOf(documentAt('docs/console.md')).filter((path) => path.endsWith('.webp'));
    expect(shown.sort()).toEqual(taken.map((name) => `docs/pictures/${name}.webp`).sort());
  });
});

import { pagesOf, PUBLIC_PAGES } from '../../tools/pictures/pages';
import { documentAt, linksOf } from './documents';

const NO_IDS = {
  organizationId: '',
  websiteId: '',
  linkId: '',
  flagId: '',
  monitorId: '',
  statusPageId: '',
  alertId: '',
  reportId: '',
  invitationId: '',
};

describe('docs/console.md', () => {
  it('shows every picture that npm run pictures takes', () => {
    const pages = [...PUBLIC_PAGES, ...pagesOf(NO_IDS)];
    const taken = pages.flatMap(({ name, also = [] }) => [name, ...also.map((look) => name + look.name)]);
    const shown = linksOf(documentAt('docs/console.md')).filter((path) => path.endsWith('.webp'));
    expect(shown.sort()).toEqual(taken.map((name) => `docs/pictures/${name}.webp`).sort());
  });
});

import { contextOf, KEY, WEBSITE } from '@test/tracker/intake-context-of';
import { identifyWebsite } from './identify-website.step';

const foreign = { ...WEBSITE, id: 'site_2', organizationId: 'org_2' };
const registry = {
  caller: () => Promise.resolve(undefined),
  website: (id: string) =>
    id === 'site_new' ? Promise.resolve(WEBSITE) : [WEBSITE, foreign].find((each) => each.id === id),
};

describe('the website of an item', () => {
  it('is named by the item, else by the request', async () => {
    const context = contextOf(
      [{ name: 'a' }, { name: 'b', websiteId: 'site_2' }, { name: 'c', websiteId: 'site_new' }],
      {
        websiteId: 'site_1',
      },
    );
    await identifyWebsite(context, { registry });
    expect(context.items.map(({ website, organizationId }) => [website?.id, organizationId])).toEqual([
      ['site_1', 'org_1'],
      ['site_2', 'org_2'],
      ['site_1', 'org_1'],
    ]);
  });

  it('is the organization of the key when no website is named, for custom events only', () => {
    const context = contextOf([{ name: 'a' }, { name: 'screen_view', path: '/' }], { caller: KEY });
    void identifyWebsite(context, { registry });
    expect(context.items.map(({ website, organizationId }) => [website, organizationId])).toEqual([[null, 'org_1']]);
    expect(context.refused).toMatchObject([{ index: 1, code: 'VALIDATION_ERROR' }]);
  });

  it('must be within the permissions of the key', () => {
    const context = contextOf(
      [
        { name: 'a', websiteId: 'site_2' },
        { name: 'b', websiteId: 'site_0' },
      ],
      { caller: KEY },
    );
    void identifyWebsite(context, { registry });
    expect(context.refused.map(({ code }) => code)).toEqual(['FORBIDDEN', 'NOT_FOUND']);
  });

  it('refuses the request when it is nobody’s or names an unknown website', () => {
    const code = (request: object) => {
      try {
        void identifyWebsite(contextOf({ name: 'a' }, request), { registry });
      } catch (error) {
        return (error as { code: string }).code;
      }
      return 'taken';
    };
    expect(code({})).toBe('AUTH_REQUIRED');
    expect(code({ websiteId: 'site_0' })).toBe('VALIDATION_ERROR');
    expect(code({ websiteId: 'site_0', caller: KEY })).toBe('NOT_FOUND');
  });
});

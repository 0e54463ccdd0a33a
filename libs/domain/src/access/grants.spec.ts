import { holds, holdsAnywhere, type Grants } from './grants';

describe('the grants of a key', () => {
  it('cover everything when no resources are listed', () => {
    expect(holds(everything, 'read:data', null)).toBe(true);
    expect(holds(everything, 'read:data', 'website:site_1')).toBe(true);
  });

  it('hold no scope that was not given', () => {
    expect(holds(everything, 'write:data', null)).toBe(false);
    expect(holdsAnywhere(everything, 'write:data')).toBe(false);
  });

  it('cover exactly the listed website and nothing global', () => {
    expect(holds(oneWebsite, 'read:data', 'website:site_1')).toBe(true);
    expect(holds(oneWebsite, 'read:data', 'website:site_2')).toBe(false);
    expect(holds(oneWebsite, 'read:data', null)).toBe(false);
  });

  it('add the scopes of a resource to those of the top level', () => {
    const grants: Grants = { scopes: ['read:data'], resources: { 'website:site_1': ['track:events'] } };
    expect(holds(grants, 'read:data', 'website:site_1')).toBe(true);
    expect(holds(grants, 'track:events', 'website:site_1')).toBe(true);
    expect(holds(grants, 'track:events', 'website:site_2')).toBe(false);
  });

  it('reach every website through a listed global', () => {
    const grants: Grants = { scopes: [], resources: { global: ['read:data'], 'website:site_1': ['track:events'] } };
    expect(holds(grants, 'read:data', null)).toBe(true);
    expect(holds(grants, 'read:data', 'website:site_2')).toBe(true);
    expect(holds(grants, 'track:events', null)).toBe(false);
  });

  it('are nothing when the list is empty', () => {
    const grants: Grants = { scopes: ['read:data'], resources: {} };
    expect(holds(grants, 'read:data', null)).toBe(false);
    expect(holdsAnywhere(grants, 'read:data')).toBe(false);
  });

  it('take no name from the prototype of the list', () => {
    expect(holds({ scopes: ['read:data'], resources: {} }, 'read:data', 'constructor' as 'website:x')).toBe(false);
  });
});

const everything: Grants = { scopes: ['read:data'], resources: null };
const oneWebsite: Grants = { scopes: ['read:data'], resources: { 'website:site_1': [] } };

import { RouteMethods, pathOf } from './observe-requests';

const routes = new RouteMethods();
routes.add('/', ['POST']);
routes.add('/track', ['POST']);
routes.add('/v1/links', ['GET']);
routes.add('/v1/links', ['POST']);
routes.add('/v1/links/:id', ['GET', 'HEAD']);
routes.add('/v1/auth/*', ['GET', 'POST']);
routes.add('/openapi.json', ['GET']);
routes.add('/:slug', ['GET', 'HEAD']);

describe('the methods of a path', () => {
  it.each([
    ['/', ['POST']],
    ['/track', ['POST']],
    ['/track/', ['POST']],
    ['/v1/links', ['GET', 'POST']],
    ['/v1/links/link_1', ['GET', 'HEAD']],
    ['/v1/links/link_1/more', []],
    ['/v1/auth/sign-in/email', ['GET', 'POST']],
    ['/openapi.json', ['GET']],
    ['/spring', ['GET', 'HEAD']],
    ['/a/b', []],
  ])('%s are %j', (path, methods) => expect(routes.allowed(path)).toEqual(methods));

  it('are its own where it would fit a parameter too', () => {
    expect(routes.isShadowed('/track', 'GET')).toBe(true);
    expect(routes.isShadowed('/track', 'POST')).toBe(false);
    expect(routes.isShadowed('/spring', 'GET')).toBe(false);
  });
});

it('the path of a target ends at its query', () => {
  expect(pathOf('/a/b?c=/d')).toBe('/a/b');
  expect(pathOf('/a#b')).toBe('/a');
  expect(pathOf('/a')).toBe('/a');
});

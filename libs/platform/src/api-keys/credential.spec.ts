import { credentialOf } from './credential';

describe('the credential of a request', () => {
  it('is none without either header', () => expect(credentialOf({ cookie: 'a=b' })).toBeNull());

  it.each([
    [{ 'x-api-key': ' svc_1 ' }, 'svc_1'],
    [{ authorization: 'Bearer svc_1' }, 'svc_1'],
    [{ authorization: 'BEARER  svc_1 ' }, 'svc_1'],
    [{ 'x-api-key': 'svc_1', authorization: 'Bearer svc_1' }, 'svc_1'],
  ])('is the key of %j', (headers, secret) => expect(credentialOf(headers)).toBe(secret));

  it.each([
    { 'x-api-key': '' },
    { 'x-api-key': ['a', 'b'] },
    { authorization: '' },
    { authorization: 'svc_1' },
    { authorization: 'Basic c3ZjXzE=' },
    { authorization: 'Bearer a b' },
    { 'x-api-key': 'svc_1', authorization: 'Bearer svc_2' },
    { 'x-api-key': 'svc_1', authorization: 'Basic c3ZjXzE=' },
    { 'x-api-key': '', authorization: 'Bearer svc_1' },
  ])('is unusable in %j', (headers) => expect(credentialOf(headers)).toBe(''));

  it.each([
    [{ 'x-api-key': '', authorization: 'Basic c3ZjXzE=' }, null],
    [{ 'x-api-key': 'svc_1', authorization: 'Basic c3ZjXzE=' }, 'svc_1'],
    [{ 'x-api-key': 'svc_1', authorization: 'Bearer svc_2' }, ''],
    [{ authorization: 'Bearer a b' }, ''],
  ])('where it is lenient, is in %j the text %j', (headers, secret) =>
    expect(credentialOf(headers, { lenient: true })).toBe(secret),
  );
});

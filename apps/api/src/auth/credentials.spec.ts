import { credentialOf } from './credentials';

describe('the credential of a request', () => {
  it('is none without either header', () => expect(credentialOf({ cookie: 'a=b' })).toEqual({ kind: 'none' }));

  it.each([
    [{ 'x-api-key': ' svc_1 ' }, 'svc_1'],
    [{ authorization: 'Bearer svc_1' }, 'svc_1'],
    [{ authorization: 'BEARER  svc_1 ' }, 'svc_1'],
    [{ 'x-api-key': 'svc_1', authorization: 'Bearer svc_1' }, 'svc_1'],
  ])('is the key of %j', (headers, secret) => expect(credentialOf(headers)).toEqual({ kind: 'key', secret }));

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
  ])('is unusable in %j', (headers) => expect(credentialOf(headers)).toEqual({ kind: 'unusable' }));
});

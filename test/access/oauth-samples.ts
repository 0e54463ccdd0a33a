import { newGrant } from '../oauth/new-grant';
import { grantOf, listOf } from './records';
import { fixed, listWith } from './requests';
import type { Sample } from './scene';

const refused = (code: string, error: string) => ({ success: false, code, error });

const OF_MCP = expect.objectContaining({ resource: 'http://localhost:3000/v1/mcp' }) as object;

/**
 * The samples of the authorization server and what people have allowed; requests without a signature are shown as
 * pages.
 */
export const OAUTH_SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /.well-known/oauth-authorization-server': fixed(
    '/.well-known/oauth-authorization-server',
    expect.objectContaining({ issuer: 'http://localhost:3000' }) as object,
  ),
  'GET /.well-known/oauth-protected-resource': fixed('/.well-known/oauth-protected-resource', OF_MCP),
  'GET /.well-known/oauth-protected-resource/v1/mcp': fixed('/.well-known/oauth-protected-resource/v1/mcp', OF_MCP),
  'GET /v1/auth/oauth2/authorize': fixed('/v1/auth/oauth2/authorize', {}),
  'GET /v1/auth/oauth2/sign-in': fixed('/v1/auth/oauth2/sign-in', {}),
  'POST /v1/auth/oauth2/sign-in': { ...fixed('/v1/auth/oauth2/sign-in', {}), body: () => ({}) },
  'GET /v1/auth/oauth2/consent': fixed('/v1/auth/oauth2/consent', {}),
  'POST /v1/auth/oauth2/consent': {
    ...fixed('/v1/auth/oauth2/consent', refused('FORBIDDEN', 'Insufficient permissions')),
    body: () => ({}),
  },
  'GET /v1/auth/oauth2/grants': fixed('/v1/auth/oauth2/grants', {}),
  'POST /v1/auth/oauth2/grants': {
    ...fixed('/v1/auth/oauth2/grants', refused('FORBIDDEN', 'Insufficient permissions')),
    body: () => ({}),
  },
  'POST /v1/auth/oauth2/token': {
    ...fixed(
      '/v1/auth/oauth2/token',
      expect.objectContaining(refused('VALIDATION_ERROR', 'invalid_request')) as object,
    ),
    body: () => ({}),
  },
  'POST /v1/auth/oauth2/revoke': {
    ...fixed(
      '/v1/auth/oauth2/revoke',
      expect.objectContaining(refused('VALIDATION_ERROR', 'invalid_request')) as object,
    ),
    body: () => ({}),
  },
  'GET /v1/oauth/grants': {
    path: () => '/v1/oauth/grants',
    answer: ({ ours, caller: { person } }) => (person?.id === ours.id ? listWith(grantOf(ours)) : listOf([])),
  },
  'DELETE /v1/oauth/grants/:id': {
    path: ({ ids }) => `/v1/oauth/grants/${ids.grantId}`,
    answer: () => ({}),
    fresh: async (api, ours) => ({ ids: { grantId: await newGrant(api, ours) } }),
  },
};

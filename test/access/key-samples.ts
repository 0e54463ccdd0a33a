import { EVERY_SCOPE } from './cast';
import { keyOf, REVOKED, SECRET } from './records';
import { creates, listWith, ofOrganization, onKey } from './requests';
import type { Sample } from './scene';

/** The samples of API keys, by line of the rules. */
export const KEY_SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /v1/api-keys': {
    path: ofOrganization('/v1/api-keys'),
    answer: ({ ours, ids }) => listWith(keyOf(ours, { id: ids.keyId })),
  },
  'GET /v1/api-keys/:id': onKey('', ({ ours, ids }) => keyOf(ours, { id: ids.keyId })),
  'PATCH /v1/api-keys/:id': {
    ...onKey('', ({ ours, ids }) => keyOf(ours, { id: ids.keyId, name: 'Renamed' })),
    body: () => ({ name: 'Renamed' }),
  },
  'DELETE /v1/api-keys/:id': onKey('', () => ({})),
  'POST /v1/api-keys/:id/rotate': onKey('/rotate', ({ ours, ids }) => keyOf(ours, { id: ids.keyId, ...SECRET })),
  'POST /v1/api-keys/:id/revoke': onKey('/revoke', ({ ours, ids }) => keyOf(ours, { id: ids.keyId, ...REVOKED })),
  'POST /v1/api-keys': creates('/v1/api-keys', { name: 'A key', scopes: EVERY_SCOPE }, ({ ours }) =>
    keyOf(ours, SECRET),
  ),
};

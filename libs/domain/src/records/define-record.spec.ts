import type { OAuthGrantEvent } from '@ledgerline/contracts/events/api-key.events';
import { apiKey } from '../api-keys/api-key.decider';
import { decider } from '../decider';
import type { OAuthGrantCommand } from '../oauth-grants/oauth-grant.decider';
import { defineRecord } from './define-record';
import { RECORDS } from './records';

describe('a record', () => {
  it('says what people see of each event whose effect is its own', () => {
    const rows = { ApiKeyRotated: { action: 'api_key.rotated' } } as const;
    // @ts-expect-error: ApiKeyRevoked has no row
    defineRecord('apiKeys', { decider: apiKey, commands: {}, audit: { rows } });
    // @ts-expect-error: no event of its own has one
    defineRecord('apiKeys', { decider: apiKey, commands: {}, audit: {} });
    expect(Object.keys(RECORDS.apiKeys.audit.rows)).toEqual(['ApiKeyRotated', 'ApiKeyRevoked']);
  });

  it('has a decider that follows each of its events', () => {
    const { initial, decide, evolve } = RECORDS.oauthGrants.decider;
    decider<typeof initial, OAuthGrantCommand, OAuthGrantEvent>({
      initial,
      decide,
      // @ts-expect-error: it does not follow OAuthGrantRevoked
      evolve: { OAuthGrantCreated: evolve.OAuthGrantCreated },
    });
    // @ts-expect-error: it follows the events of another kind
    defineRecord('websites', { decider: apiKey, commands: {}, audit: {} });
    expect(Object.keys(evolve)).toEqual(Object.keys(RECORDS.oauthGrants.events));
  });
});

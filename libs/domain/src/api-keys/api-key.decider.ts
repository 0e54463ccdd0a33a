import { Rejection } from '@ledgerline/contracts/errors/rejection';
import {
  type ApiKeyCreated,
  type ApiKeyDetails,
  type ApiKeyEvent,
  type ApiKeyRotated,
  type ApiKeySettings,
  SCOPES,
} from '@ledgerline/contracts/events/api-key.events';
import { holdsAnywhere } from '../access/caller';
import { applyChanges, assertFuture, type Command, decider, omit } from '../decider';

export type ApiKeyCommand = CreateApiKey | UpdateApiKey | RotateApiKey | RevokeApiKey | DeleteApiKey;
export type CreateApiKey = Command<'CreateApiKey', ApiKeyCreated['data'] & { readonly startedAt: Date }>;
export type UpdateApiKey = Command<'UpdateApiKey', { changes: Partial<ApiKeySettings> }>;
/** A disabled or expired key can be rotated, too: it stays so with its new secret. */
type RotateApiKey = Command<'RotateApiKey', Pick<ApiKeyRotated['data'], 'secretId' | 'start'>>;
type RevokeApiKey = Command<'RevokeApiKey', object>;
/** A revoked key can be deleted, too. */
type DeleteApiKey = Command<'DeleteApiKey', object>;

type ApiKey = { readonly status: 'absent' | 'deleted' } | ExistingApiKey;

interface ExistingApiKey {
  readonly status: 'active' | 'revoked';
  readonly details: ApiKeyDetails & { readonly keyId: string; readonly enabled: boolean };
  readonly start: string;
}

export const apiKey = decider<ApiKey, ApiKeyCommand, ApiKeyEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateApiKey({ status }, { startedAt, ...data }) {
      if (status !== 'absent') throw new Rejection('API_KEY_EXISTS');
      assertFuture(data.expiresAt, startedAt);
      assertResources(data);
      if (allowsNothing(data)) throw new Rejection('API_KEY_EMPTY', 'scopes');
      return [{ type: 'ApiKeyCreated', data }];
    },
    UpdateApiKey(state, { changes }) {
      const { details } = notRevoked(state);
      const data = applyChanges(details, changes);
      if (!data) return [];
      assertResources(data);
      if (data.enabled && allowsNothing(data) && !allowsNothing(details))
        throw new Rejection('API_KEY_EMPTY', 'scopes');
      return [{ type: 'ApiKeyUpdated', data }];
    },
    RotateApiKey(state, { secretId, start }) {
      const key = notRevoked(state);
      return [{ type: 'ApiKeyRotated', data: { ...nameOf(key), secretId, start, before: { start: key.start } } }];
    },
    RevokeApiKey: (state) => [{ type: 'ApiKeyRevoked', data: nameOf(notRevoked(state)) }],
    DeleteApiKey(state) {
      const { details, start } = existing(state);
      return [{ type: 'ApiKeyDeleted', data: { ...details, start } }];
    },
  },

  evolve: {
    ApiKeyCreated: (_, data) => ({
      status: 'active',
      details: { ...omit(data, 'secretId', 'start'), enabled: true },
      start: data.start,
    }),
    ApiKeyUpdated: (state, data) => ({ ...existing(state), details: omit(data, 'before') }),
    ApiKeyRotated: (state, { start }) => ({ ...existing(state), start }),
    ApiKeyRevoked: (state) => ({ ...existing(state), status: 'revoked' }),
    ApiKeyDeleted: () => ({ status: 'deleted' }),
  },
});

function existing(state: ApiKey): ExistingApiKey {
  if (state.status !== 'active' && state.status !== 'revoked') throw new Rejection('API_KEY_NOT_FOUND');
  return state;
}

function notRevoked(state: ApiKey): ExistingApiKey {
  const key = existing(state);
  if (key.status === 'revoked') throw new Rejection('API_KEY_REVOKED');
  return key;
}

const nameOf = ({ details: { keyId, organizationId, name } }: ExistingApiKey) => ({ keyId, organizationId, name });

const allowsNothing = (key: ApiKeyDetails): boolean => !SCOPES.some((scope) => holdsAnywhere(key, scope));

function assertResources({ resources }: ApiKeyDetails): void {
  if (!Object.keys(resources ?? {}).every(isResourceName)) throw new Rejection('RESOURCE_INVALID', 'resources');
}

/** Returns what a key's `resources` may name: `global`, or `website:<id>`. */
export const isResourceName = (name: string): boolean => name === 'global' || websiteOfResourceName(name) !== undefined;

/** The website a resource names, if it names one. */
export const websiteOfResourceName = (name: string): string | undefined =>
  /^website:(site_[0-9A-Z]{26})$/.exec(name)?.[1];

/** A key that has nothing but what every key must have: it reaches everything, and never expires. */
export const plainKey = {
  description: null,
  resources: null,
  tags: [],
  rateLimit: null,
  expiresAt: null,
} as const satisfies Omit<ApiKeyDetails, 'organizationId' | 'name' | 'scopes'>;

import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { ApiKeyCreated, ApiKeyEvent } from '@ledgerline/contracts/events/api-key.events';
import { decider, type Command } from '../decider';
import { isResourceName } from './resource-name';

export type ApiKeyCommand = CreateApiKey;
export type CreateApiKey = Command<'CreateApiKey', ApiKeyCreated['data']>;

type ApiKey = { readonly status: 'absent' } | { readonly status: 'active' };

export const apiKey = decider<ApiKey, ApiKeyCommand, ApiKeyEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateApiKey({ status }, data) {
      if (status !== 'absent') throw new Rejection('API_KEY_EXISTS');
      if (!Object.keys(data.resources ?? {}).every(isResourceName)) throw new Rejection('RESOURCE_INVALID');
      return [{ type: 'ApiKeyCreated', data }];
    },
  },

  evolve: {
    ApiKeyCreated: () => ({ status: 'active' }),
  },
});

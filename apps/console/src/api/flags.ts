import { useMutation } from '@tanstack/react-query';
import { dataOf } from '@ledgerline/client';
import { client } from './client';
import { recordsQuery } from './records';

/** The feature flags of an organization, of all its websites. */
export const flagsQuery = (organizationId: string) => recordsQuery('/v1/flags', { organizationId });

/** For whom a flag is evaluated. */
interface FlagContext {
  readonly clientId: string;
  readonly key: string;
  readonly userId?: string;
  readonly email?: string;
  readonly organizationId?: string;
  readonly teamId?: string;
  readonly properties?: string;
  readonly environment?: string;
}

/** As clients get it. */
export const useEvaluateFlag = () =>
  useMutation({
    mutationFn: (query: FlagContext) => dataOf(client.GET('/public/v1/flags/evaluate', { params: { query } })),
  });

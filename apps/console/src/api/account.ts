import { queryOptions, useMutation } from '@tanstack/react-query';
import { dataOf } from '@ledgerline/client';
import { client } from './client';

/** Null without a session. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => dataOf(client.GET('/v1/auth/get-session', { signal })),
  staleTime: Infinity,
});

/** Asks who may create an account. */
export const signUpModeQuery = queryOptions({
  queryKey: ['sign-up'],
  queryFn: ({ signal }) => dataOf(client.GET('/v1/auth/sign-up', { signal })),
  staleTime: Infinity,
});

export const useSignOut = () => useMutation({ mutationFn: () => dataOf(client.POST('/v1/auth/sign-out')) });

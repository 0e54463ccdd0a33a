import { dataOf } from '@ledgerline/client';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { client } from './client';

/** Null without a session. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => dataOf(client.GET('/v1/auth/get-session', { signal })),
  staleTime: Infinity,
});

interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Of the mail to the address of a new account. */
  readonly token?: string;
}

/** What another person has seen is forgotten. */
export const useSignIn = () =>
  useMutation({
    mutationFn: (body: Credentials) => dataOf(client.POST('/v1/auth/sign-in/email', { body })),
    onSuccess: (_data, _body, _result, { client: queryClient }) => queryClient.removeQueries(),
  });

/** Succeeds for every address, so that it does not show which have an account. */
export const useSendVerification = () =>
  useMutation({
    mutationFn: (email: string) => dataOf(client.POST('/v1/auth/send-verification-email', { body: { email } })),
  });

export const useSignOut = () => useMutation({ mutationFn: () => dataOf(client.POST('/v1/auth/sign-out')) });

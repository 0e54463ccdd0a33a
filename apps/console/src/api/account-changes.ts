import { useMutation } from '@tanstack/react-query';
import { dataOf } from '@ledgerline/client';
import { client, useChange } from './client';

interface Credentials {
  readonly email: string;
  readonly password: string;
  /** The token of the mail to the address of a new account. */
  readonly token?: string;
}

/** Signs a person in, and forgets what another person has seen. */
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

interface NewAccount {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  /** From the link of an invitation, or of an operator. */
  readonly invitation?: string;
  readonly proof?: string;
}

/** Creates an account, and signs in unless its address waits to be confirmed. What another person has seen is forgotten. */
export const useSignUp = () =>
  useMutation({
    mutationFn: (body: NewAccount) => dataOf(client.POST('/v1/auth/sign-up/email', { body })),
    onSuccess: (_data, _body, _result, { client: queryClient }) => queryClient.removeQueries(),
  });

/** Succeeds for every address, so that it does not show which have an account. */
export const useRequestPasswordReset = () =>
  useMutation({
    mutationFn: (email: string) => dataOf(client.POST('/v1/auth/request-password-reset', { body: { email } })),
  });

/** With the token of a mail; ends all sessions and grants. */
export const useResetPassword = () =>
  useMutation({
    mutationFn: (body: { readonly token: string; readonly newPassword: string }) =>
      dataOf(client.POST('/v1/auth/reset-password', { body })),
    onSuccess: (_data, _body, _result, { client: queryClient }) => queryClient.removeQueries(),
  });

export const useRenameAccount = () =>
  useChange((name: string) => dataOf(client.POST('/v1/auth/update-user', { body: { name } })), 'session');

interface NewPassword {
  readonly currentPassword: string;
  readonly newPassword: string;
  readonly revokeOtherSessions: boolean;
  readonly revokeGrants: boolean;
}

export const useChangePassword = () =>
  useMutation({
    mutationFn: (body: NewPassword) => dataOf(client.POST('/v1/auth/change-password', { body })),
  });

/** Sends a mail to the new address; the account keeps its own until that is confirmed. */
export const useChangeEmail = () =>
  useMutation({
    mutationFn: (body: { readonly newEmail: string; readonly currentPassword: string }) =>
      dataOf(client.POST('/v1/auth/change-email', { body })),
  });

export const useDeleteAccount = () =>
  useMutation({
    mutationFn: (currentPassword: string) => dataOf(client.POST('/v1/auth/delete-user', { body: { currentPassword } })),
  });

import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { codeOf, isTransient } from './api/failure';
import { sessionQuery } from './api/session';

const MAX_RETRIES = 2;
const FRESH_MS = 30_000;

/** After a session has ended, the next route leads to the sign-in. */
function forgetEndedSession(error: Error): void {
  if (codeOf(error) === 'AUTH_REQUIRED') queryClient.setQueryData(sessionQuery.queryKey, null);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: forgetEndedSession }),
  mutationCache: new MutationCache({ onError: forgetEndedSession }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (failures, error) => failures < MAX_RETRIES && isTransient(error),
    },
  },
});

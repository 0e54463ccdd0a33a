import { createClient } from '@ledgerline/client';

/** The only way to the api; the browser adds the cookie of the session. */
export const client = createClient({ baseUrl: location.origin });

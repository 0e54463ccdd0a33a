import type { Settings } from '@ledgerline/platform/config/settings';

const LIMITS = [
  'QUERY_PER_MINUTE',
  'API_PER_MINUTE',
  'PUBLIC_PER_MINUTE',
  'FLAGS_PER_KEY_PER_MINUTE',
  'EVENTS_PER_KEY_PER_MINUTE',
  'REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE',
  'REDIRECTS_PER_IP_PER_MINUTE',
] as const;

/** Environment variables of an installation of the bench, before the product completes them. */
export function variables(folder: string, eventStoreUrl: string | undefined): NodeJS.ProcessEnv {
  const limits = LIMITS.map((name) => [`LIMIT_${name}`, '1000000000'] as const);
  return {
    PATH: process.env.PATH,
    DATA_DIR: folder,
    ANSWER_CACHE_MB: '0', // what is measured are questions that are computed
    LISTEN_ADDRESS: '127.0.0.1',
    LOG_LEVEL: 'warn' satisfies Settings['logLevel'],
    LEDGERLINE_DEMO: '0',
    SIGN_UP: 'open' satisfies Settings['signUp'],
    ...(eventStoreUrl === undefined ? {} : { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: eventStoreUrl }),
    ...Object.fromEntries(limits),
  };
}

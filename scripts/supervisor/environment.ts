import { loadSettings, type Settings } from '@ledgerline/platform/config/settings';
import { embeddedUrl } from './postgres/embedded';
import { newSecrets, type Secrets } from './secrets';

/** The variables `npm start` makes up itself when it brings its own database. */
export function embeddedVariables(databaseUrl: string, secrets: Secrets): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: databaseUrl,
    AUTH_SECRET: secrets.authSecret,
    KEY_PEPPER: secrets.keyPepper,
    AUDIT_SIGNING_KEY: secrets.auditSigningKey,
  };
}

/** What `npm start` does differently from an app that is started by itself. */
const DEFAULTS = { LEDGERLINE_DEMO: '1', NODE_ENV: 'production' };

export const isEmbedded = (env: NodeJS.ProcessEnv) => !env.DATABASE_URL?.trim();

/** The settings as far as they are known before there is a database; with every problem of the variables. */
export function checkVariables(env: NodeJS.ProcessEnv): Settings {
  const madeUpLater = embeddedVariables(embeddedUrl(1, ''), newSecrets());
  return loadSettings(merge(isEmbedded(env) ? { ...DEFAULTS, ...madeUpLater } : DEFAULTS, env));
}

/** What the apps get: everything we were given, with the made-up values where there are none. */
export function appVariables(env: NodeJS.ProcessEnv, settings: Settings, madeUp: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...merge({ ...DEFAULTS, ...madeUp }, env), DATA_DIR: settings.dataDir };
}

function merge(defaults: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== '');
  return { ...defaults, ...Object.fromEntries(given) };
}

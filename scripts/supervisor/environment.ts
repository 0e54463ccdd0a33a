import { loadSettings, type Settings } from '@ledgerline/platform/config/settings';
import { embeddedUrl } from './postgres/embedded';
import { newSecrets, type Secrets } from './secrets';

/** The variables that `npm start` sets itself with the embedded database. */
export function embeddedVariables(databaseUrl: string, secrets: Secrets): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: databaseUrl,
    AUTH_SECRET: secrets.authSecret,
    KEY_PEPPER: secrets.keyPepper,
    AUDIT_SIGNING_KEY: secrets.auditSigningKey,
    MAIL_TO_FILES: '1',
    SIGN_UP: 'open',
  };
}

/** Defaults of `npm start` that differ from those of a single app. */
const DEFAULTS = { LEDGERLINE_DEMO: '1', NODE_ENV: 'production' };

export const isEmbedded = (env: NodeJS.ProcessEnv) => !env.DATABASE_URL?.trim();

/** The settings, with placeholders for those of the embedded database. @throws StartFailure with every problem */
export function checkVariables(env: NodeJS.ProcessEnv): Settings {
  const madeUpLater = embeddedVariables(embeddedUrl(1, ''), newSecrets());
  return loadSettings(merge(isEmbedded(env) ? { ...DEFAULTS, ...madeUpLater } : DEFAULTS, env));
}

/** The variables of the apps: the given ones, completed by generated ones. */
export function appVariables(env: NodeJS.ProcessEnv, settings: Settings, madeUp: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...merge({ ...DEFAULTS, ...madeUp }, env), DATA_DIR: settings.dataDir };
}

function merge(defaults: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== '');
  return { ...defaults, ...Object.fromEntries(given) };
}

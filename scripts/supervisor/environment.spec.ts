import { appVariables, checkVariables, embeddedVariables } from './environment';
import { newSecrets } from './secrets';

describe('the variables of a start', () => {
  it('may all be absent: then the database and the secrets are made up', () => {
    expect(() => checkVariables({})).not.toThrow();
  });

  it('are all checked before anything is started', () => {
    expect(() => checkVariables({ API_PORT: 'x', LOG_LEVEL: 'y' })).toThrow(/^API_PORT .*\nLOG_LEVEL .*$/);
  });

  it('must hold the secrets where they name a database', () => {
    expect(() => checkVariables({ DATABASE_URL: 'postgres://a/b' })).toThrow(
      /AUDIT_SIGNING_KEY is missing.*\nAUTH_SECRET is missing.*\nKEY_PEPPER is missing/,
    );
  });

  it('reach the apps as given, with what was made up for the rest', () => {
    const env = { AUTH_SECRET: 'given', LEDGERLINE_DEMO: '0', DATA_DIR: 'data', KEY_PEPPER: '', OTHER: 'kept' };
    const madeUp = embeddedVariables('postgres://made/up', { ...newSecrets(), keyPepper: 'made up' });
    expect(appVariables(env, checkVariables({ DATA_DIR: '/data' }), madeUp)).toMatchObject({
      DATABASE_URL: 'postgres://made/up',
      AUTH_SECRET: 'given',
      KEY_PEPPER: 'made up',
      LEDGERLINE_DEMO: '0',
      DATA_DIR: '/data',
      OTHER: 'kept',
    });
  });
});

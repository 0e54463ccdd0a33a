import { Client } from 'pg';
import { loadSettings } from '@ledgerline/platform/config/settings';
import { embeddedVariables } from '../../scripts/supervisor/environment';
import { newSecrets } from '../../scripts/supervisor/secrets';
import { documentAt } from './documents';

/** The variables without a default. */
const REQUIRED = { ...embeddedVariables('postgres://a/b', newSecrets()), MAIL_TO_FILES: '', SIGN_UP: '' };

const rows = [...documentAt('docs/configuration.md').text.matchAll(/^- `([A-Z_]+)`(?: \(`([^`]*)`)?/gm)].map(
  ([, name, value]) => ({ name: name!, value }),
);

describe('docs/configuration.md', () => {
  it('lists exactly the variables that are read', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual([...variablesRead()].sort());
  });

  const withDefault = rows.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));

  it.each(withDefault)('gives the default of %s', (name, value) => {
    const explicit = value.replace('<API_PORT>', '3000').replace('<TRACKER_PORT>', '3001');
    expect(settingsWith({ [name]: explicit })).toEqual(settingsWith({}));
  });

  it.each([
    ['verify-full', {}],
    ['prefer', {}],
    ['require', {}],
    ['verify-ca', {}],
    ['no-verify', { rejectUnauthorized: false }],
    ['disable', false],
    [undefined, false],
  ])('says what sslmode does: %s', (mode, ssl) => {
    expect(documentAt('docs/configuration.md').text).toContain(mode ?? 'without `sslmode`');
    const client = new Client(`postgres://a/b${mode === undefined ? '' : `?sslmode=${mode}`}`);
    expect(client).toHaveProperty('ssl', ssl); // an object checks the certificate and its name, unless it says otherwise
  });

  it('gives a default for every number', () => {
    const numbers = rows.filter(({ name }) => /^LIMIT_|_PORT$|_PARTITIONS$/.test(name));
    expect(numbers.filter(({ value }) => value === undefined)).toEqual([]);
  });
});

function settingsWith(variables: NodeJS.ProcessEnv) {
  const { auditSigningKey, ...settings } = loadSettings({ ...REQUIRED, ...variables });
  return { ...settings, auditSigningKey: auditSigningKey.type };
}

/** The variables that the settings look at, whatever is chosen. */
function variablesRead(): Set<string> {
  const read = new Set<string>();
  const stores = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'esdb://a', INTAKE_LOG: 'kafka', KAFKA_BROKERS: 'a:1' };
  const values = { ...REQUIRED, ...stores, KAFKA_REPLICATION_FACTOR: '3' };
  const watched = new Proxy<NodeJS.ProcessEnv>(values, {
    get: (target, name) => {
      read.add(String(name));
      return target[String(name)];
    },
  });
  loadSettings(watched);
  return read;
}

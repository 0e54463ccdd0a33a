import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { checkVariables, embeddedVariables } from './environment';
import { loadSecrets } from './secrets';

describe('the secrets of an embedded installation', () => {
  it('are made up once and kept for their owner only', () => {
    const dataDir = emptyFolder();
    const secrets = loadSecrets(dataDir);
    expect(loadSecrets(dataDir)).toEqual(secrets);
    expect(loadSecrets(emptyFolder())).not.toEqual(secrets);
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('are good enough for the settings', () => {
    const variables = embeddedVariables('postgres://a:b@localhost/c', loadSecrets(emptyFolder()));
    expect(() => checkVariables(variables)).not.toThrow();
  });

  it('are completed where an older version knew fewer', () => {
    const dataDir = emptyFolder();
    writeFileSync(join(dataDir, 'secrets.json'), JSON.stringify({ postgresPassword: 'old' }));
    const secrets = loadSecrets(dataDir);
    expect(secrets).toMatchObject({ postgresPassword: 'old', authSecret: expect.any(String) as string });
    expect(loadSecrets(dataDir)).toEqual(secrets);
  });

  it('are never made anew because their file cannot be read', () => {
    const dataDir = emptyFolder();
    writeFileSync(join(dataDir, 'secrets.json'), '{"postgresPassword":');
    expect(() => loadSecrets(dataDir)).toThrow('secrets.json cannot be read');
  });
});

const emptyFolder = () => temporaryFolder('secrets');

import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/stand-ins/temporary-folder';
import { checkVariables, embeddedVariables } from './environment';
import { keptSecrets } from './secrets';

describe('the secrets of an embedded installation', () => {
  it('are made up once and kept for their owner only', () => {
    const dataDir = emptyFolder();
    const secrets = keptSecrets(dataDir);
    expect(keptSecrets(dataDir)).toEqual(secrets);
    expect(keptSecrets(emptyFolder())).not.toEqual(secrets);
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('are good enough for the settings', () => {
    const variables = embeddedVariables('postgres://a:b@localhost/c', keptSecrets(emptyFolder()));
    expect(() => checkVariables(variables)).not.toThrow();
  });

  it('are completed where an older version knew fewer', () => {
    const dataDir = emptyFolder();
    writeFileSync(join(dataDir, 'secrets.json'), JSON.stringify({ postgresPassword: 'old' }));
    const secrets = keptSecrets(dataDir);
    expect(secrets).toMatchObject({ postgresPassword: 'old', authSecret: expect.any(String) as string });
    expect(keptSecrets(dataDir)).toEqual(secrets);
  });

  it('are never made anew because their file cannot be read', () => {
    const dataDir = emptyFolder();
    writeFileSync(join(dataDir, 'secrets.json'), '{"postgresPassword":');
    expect(() => keptSecrets(dataDir)).toThrow('secrets.json cannot be read');
  });
});

const emptyFolder = () => temporaryFolder('secrets');

import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openInstallation } from './installation';

describe('the installation a tool works on', () => {
  const before = process.cwd();
  let folder: string;
  const opening = (DATA_DIR: string) => openInstallation({ DATA_DIR }, () => undefined);

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'ledgerline-installation-')));
    process.chdir(folder);
  });
  afterEach(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(['', '  '])('lies in .data where DATA_DIR is "%s"', async (dataDir) => {
    writeFileSync('secrets.json', '{}');
    await expect(opening(dataDir)).rejects.toThrow(`There is no installation in ${join(folder, '.data')}`);
  });

  it('is not held any longer when its Postgres cannot be started', async () => {
    writeFileSync('secrets.json', '{}');
    mkdirSync('postgres');
    await expect(opening(folder)).rejects.toThrow('holds no database');
    expect(existsSync('lock')).toBe(false);
  });
});

/** Makes the package of libs/client in dist/: JavaScript with types, the licence and the README. */
const { execFileSync } = require('node:child_process');
const { copyFileSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { private: _, ...manifest } = require('../libs/client/package.json');

const root = join(__dirname, '..');
const client = join(root, 'libs', 'client');
const folder = join(root, 'dist', 'client');
const compiler = join(root, 'node_modules', 'typescript7', 'bin', 'tsc');

rmSync(folder, { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', client, '--outDir', folder], { stdio: 'inherit' });
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(client, 'README.md'), join(folder, 'README.md'));
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
execFileSync('npm', ['pack', '--silent', '--pack-destination', join(root, 'dist')], { cwd: folder, stdio: 'inherit' });

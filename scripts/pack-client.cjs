/** What `npm pack` does first in libs/client: compiles it to JavaScript with types, and adds the licence. */
const { execFileSync } = require('node:child_process');
const { copyFileSync, rmSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const client = join(root, 'libs', 'client');

rmSync(join(client, 'dist'), { recursive: true, force: true });
execFileSync(process.execPath, [join(root, 'node_modules', 'typescript7', 'bin', 'tsc'), '-p', client], {
  stdio: 'inherit',
});
copyFileSync(join(root, 'LICENSE'), join(client, 'LICENSE'));

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';

const root = join(__dirname, '..');

describe("Nest's command line", () => {
  it('builds an app that nest-cli.json describes, which starts', () => {
    const folder = temporaryFolder('nest-cli');
    const config = join(folder, 'tsconfig.json');
    const out = join(folder, 'out');
    writeFileSync(
      config,
      JSON.stringify({
        extends: join(root, 'tsconfig.build.json'),
        compilerOptions: { outDir: out, typeRoots: [join(root, 'node_modules', '@types')] },
        files: [join(root, 'apps', 'projector', 'src', 'main.ts')],
        include: [],
      }),
    );
    const nest = join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
    const built = spawnSync(process.execPath, [nest, 'build', 'projector', '--path', relative(root, config)], {
      cwd: root,
      encoding: 'utf8',
    });
    expect([built.status, built.stdout + built.stderr]).toEqual([0, '']);
    const { entryFile } = (JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8')) as NestSettings).projects
      .projector;
    const main = join(out, `${entryFile}.js`);
    expect(existsSync(main)).toBe(true);

    const env = { PATH: process.env['PATH'], NODE_PATH: join(root, 'node_modules') };
    const { status, stderr } = spawnSync(process.execPath, [main], { cwd: root, env, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('DATABASE_URL') as string });
  });
});

interface NestSettings {
  readonly projects: { readonly projector: { readonly entryFile: string } };
}

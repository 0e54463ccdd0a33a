import { loadSettings } from '@ledgerline/platform/config/settings';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSecrets } from '../../scripts/supervisor/secrets';
import { embeddedVariables } from '../../scripts/supervisor/environment';
import { README } from './readme';

const root = join(__dirname, '..', '..');

describe('the README', () => {
  it('lists exactly the variables that are read', () => {
    const listed = [...README.matchAll(/^\| `([A-Z_]+)` /gm)].map(([, name]) => name!);
    expect([...listed].sort()).toEqual([...variablesRead()].sort());
  });

  it('names only files that exist', () => {
    const files = [...README.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path]) => path!);
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names only commands that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const commands = [...README.matchAll(/npm run (?:--silent )?([a-z-]+)/g)].map(([, name]) => name!);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('tests as the machines do', () => {
    const run = readFileSync(join(root, '.ci', 'run'), 'utf8')
      .trim()
      .split('\n');
    expect(README).toContain(`\n${run.at(-1)!}\n`);
  });
});

/** The variables that the settings look at, whatever is chosen. */
function variablesRead(): Set<string> {
  const read = new Set<string>();
  const values = {
    ...embeddedVariables('postgres://a/b', newSecrets()),
    EVENT_STORE: 'eventstoredb',
    EVENTSTORE_URL: 'esdb://a',
  };
  const watched = new Proxy<NodeJS.ProcessEnv>(values, {
    get: (target, name) => {
      read.add(String(name));
      return target[String(name)];
    },
  });
  loadSettings(watched);
  return read;
}

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { openPool } from '@ledgerline/platform/database/pool';
import { linkClicked } from '@test/events/observed-events';
import { build, type Installation, installation, root } from '@test/journeys/product';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { projectInto } from '@test/query/projected-database';
import { waitUntil } from '@test/wait-until';
import { newSecrets } from './secrets';

/** The command of util-linux that runs another on a terminal of its own, and ends as that does. */
const ON_TERMINAL = ['script', '--quiet', '--flush', '--return', '--command'] as const;
const QUESTION = 'Start without them? [y/N] ';
const CTRL_C = '\u0003';

describe('a start whose tables are not filled', () => {
  it('ends without a terminal, and says what they would leave unanswered', async () => {
    const started = start(false);
    expect(await started.ended).toBe(1);
    expect(started.said()).toMatch(/^- links, for about 1 s \(20 events\): link_top_cities \(changed: link_cities\)$/m);
    expect(started.said()).not.toContain(QUESTION);
  });

  it.each(['n', '', 'yesterday'])('starts nothing where a terminal is answered "%s"', async (answer) => {
    const started = await asked();
    started.type(`${answer}\r`);
    expect(await started.ended).toBe(1);
    expect(started.said()).toContain('Nothing was started.');
  });

  it('ends by Ctrl-C at the question', async () => {
    const started = await asked();
    started.type(CTRL_C);
    expect(await started.ended).toBe(0);
    expect(started.said()).toMatch(/Stopping …\s+Stopped\./);
  });

  it('starts where a terminal is answered yes', async () => {
    const started = await asked();
    started.type('y\r');
    await started.says('Ctrl-C');
    expect((await fetch(`${place.env['PUBLIC_API_URL']}/health`)).status).toBe(200);
    started.type(CTRL_C);
    expect(await started.ended).toBe(0);
  });

  let database: TestDatabase;
  let place: Installation;

  beforeAll(async () => {
    await build();
    database = await createTestDatabase();
    const { authSecret, keyPepper, auditSigningKey } = newSecrets();
    const secrets = { AUTH_SECRET: authSecret, KEY_PEPPER: keyPepper, AUDIT_SIGNING_KEY: auditSigningKey };
    place = await installation({ ...secrets, DATABASE_URL: database.url });
    const projector = await projectInto(database.url, []);
    const clicks = Array.from({ length: 20 }, (_, nth) => linkClicked(Date.parse('2026-03-02') + nth, {}));
    await projector.send('link_1', clicks);
    await projector.close();
    const pool = openPool({ url: database.url, name: 'spec', max: 1 });
    await pool.query('comment on table links_v1.link_cities is null'); // as of a version that declares it otherwise
    await pool.end();
  });
  afterAll(async () => {
    await database.drop();
    place.remove();
  });

  async function asked() {
    const started = start(true);
    await started.says(QUESTION);
    return started;
  }

  function start(onTerminal: boolean) {
    const program = [process.execPath, join(root, 'dist', 'scripts', 'start.js')];
    const [file, ...args] = onTerminal ? [...ON_TERMINAL, `exec ${program.join(' ')}`, '/dev/null'] : program;
    const child = spawn(file!, args, { env: place.env, cwd: root });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
    const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
    return {
      ended,
      said: () => said,
      says: (text: string) =>
        waitUntil(() => {
          if (child.exitCode !== null && !said.includes(text)) throw new Error(said);
          return said.includes(text);
        }),
      type: (text: string) => child.stdin.write(text),
    };
  }
});

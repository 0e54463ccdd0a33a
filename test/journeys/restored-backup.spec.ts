import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { curlCommandsIn, send } from '../docs/curl';
import { build, installation, Product, root, untilAnswer, type Installation } from './product';

jest.setTimeout(600_000);

const PASSPHRASE = 'correct horse battery';
/** The number of backups that are killed, and of restores. */
const KILLS = Number(process.env['BACKUP_KILLS'] ?? 3);
/** The program that restores and runs the copy: a Node of another version, perhaps. */
const OTHER_NODE = process.env['OTHER_NODE'] ?? process.execPath;

let place: Installation;
let other: Installation;
let product: Product;
let folder: string;

beforeAll(async () => {
  await build();
  place = await installation();
  other = await installation();
  folder = join(place.dataDir, 'backup');
  product = await new Product(place).running();
});
afterAll(async () => {
  await product.stop().catch(() => undefined);
  place.remove();
  other.remove();
});

const keys = () => ['--with-keys', join(place.dataDir, 'keys.json')];
/** So many, from soon after the start up to about when it is done. */
const moments = (lastMs: number) => Array.from({ length: KILLS }, (_, nth) => Math.round((lastMs * (nth + 1)) / KILLS));
const command = (name: 'backup' | 'restore', ...args: readonly string[]) =>
  [join(root, 'dist', 'scripts', `${name}.js`), folder, ...args] as const;

function run({ env }: Installation, args: readonly string[], node = process.execPath) {
  const { status, stdout, stderr } = spawnSync(node, args, {
    env: { ...env, BACKUP_PASSPHRASE: PASSPHRASE },
    encoding: 'utf8',
  });
  return { status, said: `${stdout}${stderr}` };
}

/** Kills it after so many milliseconds, with all that it started. */
async function killed(
  { env }: Installation,
  args: readonly string[],
  ms: number,
  node = process.execPath,
): Promise<void> {
  const child = spawn(node, args, { env: { ...env, BACKUP_PASSPHRASE: PASSPHRASE }, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await sleep(ms);
  child.kill('SIGKILL');
  await ended;
}

/** Returns what a curl command of the first screen is answered. */
const rowsOf = async (command: string): Promise<unknown> =>
  ((await (await send(command)).json()) as { data: readonly { data: unknown }[] }).data[0]?.data;

/** The cookies of the owner of the demo. */
async function signedIn({ env }: Installation, { email, password }: { email: string; password: string }) {
  const headers = { 'content-type': 'application/json', origin: env.PUBLIC_API_URL! };
  const body = JSON.stringify({ email, password });
  const answer = await fetch(`${env.PUBLIC_API_URL}/v1/auth/sign-in/email`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  const cookie = answer.headers.getSetCookie().map((each) => each.split(';')[0]);
  return { ...headers, cookie: cookie.join('; ') };
}

it('answers as before from a backup that was made while it ran, without whom was erased since, after kills', async () => {
  const { demo } = product;
  const [view, click, pages, clicks] = curlCommandsIn(product.screen);
  for (const visitor of ['me', 'you', 'they']) await send(view!.replace('"me"', `"${visitor}"`));
  await send(click!);
  const answers = async (at: Installation) => {
    const there = (command: string) => command.replace(place.env.PUBLIC_API_URL!, at.env.PUBLIC_API_URL!);
    return JSON.stringify([await rowsOf(there(pages!)), await rowsOf(there(clicks!))]);
  };
  await untilAnswer(
    () => answers(place),
    (given) => given.includes('"visitors":3') && given.includes('"total":1'),
  );
  for (const ms of moments(1_500)) {
    await killed(place, command('backup'), ms);
    rmSync(folder, { recursive: true, force: true }); // of one that was done by then
  }
  const made = run(place, command('backup', '--verify', ...keys()));
  expect(made).toMatchObject({ status: 0, said: expect.stringContaining('Verified: ') as string });

  const { organizationId, websiteId } = demo;
  const erasure = { organizationId, subject: { websiteId, anonymousId: 'you' } };
  const headers = await signedIn(place, demo.owner);
  const body = JSON.stringify(erasure);
  const erased = await fetch(`${place.env.PUBLIC_API_URL}/v1/erasures`, { method: 'POST', headers, body });
  expect(erased.status).toBe(202);
  const before = await untilAnswer(
    () => answers(place),
    (given) => given.includes('"visitors":2'),
  );
  const list = join(place.dataDir, 'erasures.ndjson');
  const backup = join(root, 'dist', 'scripts', 'backup.js');
  expect(run(place, [backup, '--erasures', list])).toMatchObject({ status: 0 });
  await product.stop();

  const restore = command('restore', ...keys(), '--erasures', list);
  for (const ms of moments(5_000)) await killed(other, restore, ms, OTHER_NODE);
  const restored = run(other, restore, OTHER_NODE);
  expect(restored.said).toMatch(/erasures: 1;|The database is in use/); // the last kill may have come too late
  product = await new Product(other, OTHER_NODE).running();
  const seen: string[] = [];
  await untilAnswer(
    async () => {
      const given = await answers(other);
      seen.push(given);
      return given;
    },
    (given) => given === before,
  );
  expect(seen.filter((given) => given.includes('"visitors":3'))).toEqual([]);
  const verified = run(other, [join(root, 'dist', 'scripts', 'audit.js'), 'verify', '--intake']);
  expect(verified).toMatchObject({ status: 0 });
  await signedIn(other, demo.owner);
});

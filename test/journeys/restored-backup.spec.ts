import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { curlCommandsIn, send } from '../docs/curl';
import { build, installation, Product, root, untilAnswer, type Installation } from './product';

jest.setTimeout(600_000);

const PASSPHRASE = 'correct horse battery';

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
const command = (name: 'backup' | 'restore', ...args: readonly string[]) =>
  [join(root, 'dist', 'scripts', `${name}.js`), folder, ...args] as const;

function run({ env }: Installation, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { ...env, BACKUP_PASSPHRASE: PASSPHRASE },
    encoding: 'utf8',
  });
  return { status, said: `${stdout}${stderr}` };
}

/** Kills it after so many milliseconds, with all that it started. */
async function killed({ env }: Installation, args: readonly string[], ms: number): Promise<void> {
  const child = spawn(process.execPath, args, { env: { ...env, BACKUP_PASSPHRASE: PASSPHRASE }, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await sleep(ms);
  child.kill('SIGKILL');
  await ended;
}

/** Returns what a curl command of the first screen is answered. */
const rowsOf = async (command: string): Promise<unknown> =>
  ((await (await send(command)).json()) as { data: readonly { data: unknown }[] }).data[0]?.data;

it('answers as before from a backup that was made while it ran, on another machine, after kills', async () => {
  const { demo } = product;
  const [view, click, pages, clicks] = curlCommandsIn(product.screen);
  for (const visitor of ['me', 'you', 'they']) await send(view!.replace('"me"', `"${visitor}"`));
  await send(click!);
  const answers = async (at: Installation) => {
    const there = (command: string) => command.replace(place.env.PUBLIC_API_URL!, at.env.PUBLIC_API_URL!);
    return JSON.stringify([await rowsOf(there(pages!)), await rowsOf(there(clicks!))]);
  };
  const before = await untilAnswer(
    () => answers(place),
    (given) => given.includes('"visitors":3') && given.includes('"total":1'),
  );
  for (const ms of [300, 600]) await killed(place, command('backup'), ms);
  rmSync(folder, { recursive: true, force: true });
  const made = run(place, command('backup', '--verify', ...keys()));
  expect(made).toMatchObject({ status: 0, said: expect.stringContaining('Verified: ') as string });
  await product.stop();

  for (const ms of [500, 1_500, 2_500]) await killed(other, command('restore', ...keys()), ms);
  const restored = run(other, command('restore', ...keys()));
  expect(restored.said).toMatch(/Restored the backup of|The database is in use/); // the last kill may have come too late
  product = await new Product(other).running();
  await untilAnswer(
    () => answers(other),
    (given) => given === before,
  );
  const verified = run(other, [join(root, 'dist', 'scripts', 'audit.js'), 'verify', '--intake']);
  expect(verified).toMatchObject({ status: 0 });
  const signIn = { email: demo.owner.email, password: demo.owner.password };
  const signedIn = await fetch(`${other.env.PUBLIC_API_URL}/v1/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: other.env.PUBLIC_API_URL! },
    body: JSON.stringify(signIn),
  });
  expect(signedIn.status).toBe(200);
});

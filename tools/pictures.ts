import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { runScriptCommand, takesNothing } from '../scripts/command';
import { freePort } from '../scripts/supervisor/ports';
import { Api } from './pictures/api';
import { Camera } from './pictures/camera';
import { CHROMIUM } from './pictures/chromium';
import { createContents, untilShown } from './pictures/contents';
import { pagesOf, PUBLIC_PAGES, type PicturedPage } from './pictures/pages';
import { Product } from './pictures/product';

const USAGE = `Usage: npm run pictures

Takes the pictures of docs/console.md: starts the product in a temporary folder, fills it with simulated visitors, and
writes a picture of each page of the console to docs/pictures. Needs Chromium; CHROME_PATH names one.`;

/** This file is compiled to dist/tools. */
const FOLDER = join(dirname(dirname(__dirname)), 'docs', 'pictures');

runScriptCommand(USAGE, async (args) => {
  takesNothing(args, USAGE);
  if (CHROMIUM === undefined) {
    throw new StartFailure('There is no Chromium to take pictures with: install one, or name it in CHROME_PATH.');
  }
  const product = await Product.start();
  try {
    await takeAll(product, CHROMIUM);
  } finally {
    await product.stop();
  }
});

async function takeAll(product: Product, chromium: string): Promise<void> {
  const { demo } = product;
  const api = await Api.signIn(demo);
  const receiver = createServer((request, reply) => {
    request.resume().once('end', () => reply.writeHead(204).end());
  }).listen(await freePort(8080), '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const contents = await createContents(api, demo, `http://127.0.0.1:${port}/`);
  await product.simulate();
  await untilShown(api, contents);
  const camera = await Camera.open(chromium, demo, FOLDER);
  try {
    await takeEach(camera, PUBLIC_PAGES);
    await camera.signIn(demo.owner);
    await takeEach(camera, pagesOf(contents));
  } finally {
    await camera.close();
    receiver.close();
  }
}

async function takeEach(camera: Camera, pages: readonly PicturedPage[]): Promise<void> {
  for (const page of pages) {
    await camera.take(page);
    process.stdout.write(`${page.name}\n`);
  }
}

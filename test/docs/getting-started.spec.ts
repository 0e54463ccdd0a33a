import { startProduct, type RunningProduct } from '../journeys/running-product';
import { writtenMails } from '../mail/written-mails';
import { documentAt } from './documents';
import { commandsIn, Shell } from './shell';

const blocks = [...documentAt('docs/getting-started.md').text.matchAll(/```(sh|json)\n(.*?)```/gs)].map(
  ([, kind, text]) => ({ kind, text: text! }),
);

/** Each command, with the answer that the document shows for it: the whole or the interesting fields. */
const steps = blocks.flatMap(({ kind, text }, at) => {
  const commands = kind === 'sh' ? commandsIn(text) : [];
  const next = blocks[at + 1];
  return commands.map((command, n) => {
    const isAnswered = next?.kind === 'json' && n === commands.length - 1;
    return { command, shown: isAnswered ? (JSON.parse(next.text) as object) : undefined };
  });
});

describe('docs/getting-started.md', () => {
  it('leads from a new account to a colleague who has been removed', async () => {
    expect(steps.length).toBeGreaterThan(25);
    for (const { command, shown } of steps) {
      const [output] = await Promise.all([shell.run(command), product.projector.catchUp()]);
      if (shown) expect(JSON.parse(output!.text)).toMatchObject(shown);
      else if (output && output.status >= 400) throw new Error(`${command}\nwas refused: ${output.text}`);
    }
  });
});

let product: RunningProduct;
let shell: Shell;

beforeAll(async () => {
  product = await startProduct();
  shell = new Shell({
    '.data/mails/*': () =>
      writtenMails(product.api)
        .map(({ text }) => text)
        .join(''),
  });
  shell.set('API', product.apiUrl);
  shell.set('TRACK', product.trackUrl);
});

afterAll(() => product.close());

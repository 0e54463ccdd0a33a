import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FirstRun } from '../../scripts/supervisor/screen';
import { curlCommandsIn } from './curl';

/** A command of the README, and the answer it shows for it. */
interface ReadmeExample {
  readonly command: string;
  readonly answer?: unknown;
}

const README = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');

/** The curl commands of the README, with the ids that its `get` and `BROWSER` stand for. */
export function readmeExamples(demo: FirstRun): ReadmeExample[] {
  const blocks = [...README.matchAll(/```(sh|json)\n(.*?)```/gs)].map(([, kind, text]) => ({ kind, text: text ?? '' }));
  return blocks.flatMap(({ kind, text }, at) => {
    const commands = kind === 'sh' ? curlCommandsIn(text).map((command) => filledIn(command, demo)) : [];
    const next = blocks[at + 1];
    return commands.map((command, n) => {
      const isAnswered = next?.kind === 'json' && n === commands.length - 1;
      return isAnswered ? { command, answer: JSON.parse(next.text) as unknown } : { command };
    });
  });
}

function filledIn(command: string, demo: FirstRun): string {
  const browser = /^BROWSER='([^']*)'$/m.exec(README)?.[1] ?? '';
  const filled = command.replaceAll(/\$\(get (\w+)\)/g, (_, name: string) => textOf(demo, name));
  const complete = filled.replaceAll('$BROWSER', browser);
  if (complete.includes('$')) throw new Error(`A README example is not complete: ${complete}`);
  return complete;
}

function textOf(demo: FirstRun, name: string): string {
  const value = Object.entries(demo).find(([key]) => key === name)?.[1] as unknown;
  if (typeof value !== 'string') throw new Error(`The README uses "${name}", which first-run.json does not have.`);
  return value;
}

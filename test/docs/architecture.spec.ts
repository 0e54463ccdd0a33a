import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { documentAt, root } from './documents';
import { unreached } from './flow-imports';

const { text } = documentAt('ARCHITECTURE.md');
const [, flows = ''] = text.split(/^## How each flow reads$/m);

/**
 * The files of each flow, in order. A flow is a list item that begins with its name; a backticked folder with a slash at
 * its end is the folder of the files after it.
 */
const ways = flows
  .split(/^## /m)[0]!
  .split(/^- /m)
  .slice(1)
  .map((item) => ({ name: /^\*\*(.+?)\*\*/.exec(item)![1]!, files: filesOf(item) }));

function filesOf(item: string): string[] {
  let folder = '';
  return [...item.matchAll(/`([\w./-]+(?:\/|\.ts))`/g)].flatMap(([, path]) => {
    if (!path!.endsWith('/')) return [join(folder, path!)];
    folder = path!;
    return [];
  });
}

describe('ARCHITECTURE.md', () => {
  it('names the files of every flow', () => {
    expect(ways.map(({ name }) => name)).toEqual([
      'Request',
      'Question',
      'Count',
      'Command',
      'Hit',
      'Kafka',
      'Copy',
      'Click',
      'Fact',
      'Sealed day',
      'Trace',
      'Reconcile',
      'Check',
      'Status',
      'Audit',
      'Signed head',
      'Agent',
      'Flag',
      'Sign-in',
      'Token',
      'Parked event',
      'Rebuild',
    ]);
  });

  it.each(ways)('$name: every file exists, and an earlier one leads to it', ({ files }) => {
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(files.length).toBeGreaterThan(2);
    expect(unreached(files)).toEqual([]);
  });

  it('names folders that exist', () => {
    const folders = [...text.matchAll(/`((?:apps|libs|scripts|test|docs)(?:\/[\w-]+)*\/?)`/g)].map(([, path]) => path!);
    expect(folders.filter((path) => !statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory())).toEqual([]);
  });
});

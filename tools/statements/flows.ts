import { join } from 'node:path';

/** What a reader of ARCHITECTURE.md opens to follow one thing through the product. */
export interface Flow {
  readonly name: string;
  readonly files: readonly string[];
  /** Declarations: nothing in them runs. */
  readonly declares: readonly string[];
}

export const sectionOf = (text: string, heading: string): string =>
  text
    .split(/^#+ /m)
    .find((section) => section.startsWith(`${heading}\n`))
    ?.slice(heading.length) ?? '';

/** A flow is a list item that begins with its name, and may begin with what another one reaches. */
export function flowsOf(text: string): readonly Flow[] {
  const flows: Flow[] = [];
  for (const item of sectionOf(text, 'How each flow reads').split(/^- /m).slice(1)) {
    const [, name = '', base, left = ''] = /^\*\*(.+?)\*\*.*?: (?:as (\w+), without (.*?); with )?/s.exec(item) ?? [];
    const [listed = '', declared = ''] = (base ? item.slice(item.indexOf('; with ')) : item).split('Declares: ');
    const inherited = flows.find((flow) => flow.name === base)?.files ?? [];
    const files = [...inherited.filter((file) => !filesOf(left).includes(file)), ...filesOf(listed)];
    flows.push({ name, files, declares: filesOf(declared) });
  }
  return flows;
}

/** A backticked folder with a slash at its end is the folder of the files after it. */
export function filesOf(list: string): string[] {
  let folder = '';
  return [...list.matchAll(/`([\w./-]+(?:\/|\.ts))`/g)].flatMap(([, path = '']) => {
    if (!path.endsWith('/')) return [join(folder, path)];
    folder = path;
    return [];
  });
}

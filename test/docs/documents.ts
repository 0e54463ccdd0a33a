import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const root = join(__dirname, '..', '..');

interface Document {
  /** Relative to the repository's root. */
  readonly path: string;
  readonly text: string;
}

export const documentAt = (path: string): Document => ({ path, text: readFileSync(join(root, path), 'utf8') });

/** The Markdown files of the root and of docs/, and the README of the client. */
export const documents = (): Document[] =>
  [...readdirSync(root), ...readdirSync(join(root, 'docs')).map((name) => join('docs', name)), CLIENT]
    .filter((path) => path.endsWith('.md'))
    .map(documentAt);

const CLIENT = join('libs', 'client', 'README.md');

/**
 * Returns what a document links to: a file relative to the repository's root, and the heading in it, if one is named.
 */
export const targetsOf = ({ path, text }: Document): { readonly file: string; readonly heading?: string }[] =>
  [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?[^)]*\)/g)].map(([, file, heading]) => ({
    file: file ? normalize(join(dirname(path), file)) : path,
    ...(heading === undefined ? {} : { heading }),
  }));

export const linksOf = (document: Document): string[] => targetsOf(document).map(({ file }) => file);

/** The anchors of the headings of a document, as GitHub makes them. */
export function anchorsOf({ text }: Document): string[] {
  const headings = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  const before = (anchor: string, at: number) => headings.slice(0, at).filter((other) => other === anchor).length;
  return headings.map((anchor, at) => (before(anchor, at) === 0 ? anchor : `${anchor}-${before(anchor, at)}`));
}

/** The text under the heading with an anchor, without what is under other ones. */
export const sectionAt = (document: Document, anchor: string): string | undefined =>
  document.text.split(/^#+ /m)[anchorsOf(document).indexOf(anchor) + 1];

/** The text under a heading, without what is under other ones. */
export const sectionOf = (text: string, heading: string): string =>
  text
    .split(/^#+ /m)
    .find((section) => section.startsWith(`${heading}\n`))
    ?.slice(heading.length) ?? '';

/** Without the lines of tables. */
export const wordsIn = (text: string): number => text.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;

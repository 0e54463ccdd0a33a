import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const root = join(__dirname, '..', '..');

export interface Document {
  /** Relative to the repository's root. */
  readonly path: string;
  readonly text: string;
}

export const documentAt = (path: string): Document => ({ path, text: readFileSync(join(root, path), 'utf8') });

/** Every markdown file of the root and of docs/. */
export const documents = (): Document[] =>
  [
    ...readdirSync(root),
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((path) => join('docs', path)),
  ]
    .filter((path) => path.endsWith('.md'))
    .map(documentAt);

/** The files a document links to, relative to the repository's root. */
export const linksOf = ({ path, text }: Document): string[] =>
  [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, target]) => normalize(join(dirname(path), target!)));

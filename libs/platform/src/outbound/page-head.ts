import { Parser } from 'htmlparser2';
import type { Beginning } from './guarded-fetch';

/** The words of a page about itself, for those who do not show it. */
export interface PageHead {
  readonly title: string | undefined;
  /** The contents of meta elements, by their names or properties in lower case. */
  readonly metas: ReadonlyMap<string, string>;
  /** The address that relative ones are relative to, as it is written; undefined = the page. */
  readonly base: string | undefined;
  /** The attributes of link elements. */
  readonly links: readonly Readonly<Record<string, string>>[];
}

/** Reads the head of HTML, to its end; empty for whatever else. */
export const readPageHead = (page: Beginning | undefined): PageHead => parseHead(page ? htmlOf(page) : '');

function htmlOf({ type, bytes }: Beginning): string {
  if (!/^(text\/html|application\/xhtml\+xml)\b/i.test(type)) return '';
  const ascii = bytes.subarray(0, 1024).toString('latin1');
  const charset = /charset=["']?([\w-]+)/i.exec(type)?.[1] ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(ascii)?.[1];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString(); // a charset that nobody knows
  }
}

export function parseHead(html: string): PageHead {
  const metas = new Map<string, string>();
  const links: PageHead['links'][number][] = [];
  let title: string | undefined;
  let base: string | undefined;
  let texts: string[] | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'meta')
        metas.set((attributes.property ?? attributes.name ?? '').toLowerCase(), attributes.content ?? '');
      else if (name === 'link') links.push(attributes);
      else if (name === 'base') base ??= attributes.href;
      else if (name === 'title') texts = [];
      else if (name === 'body') parser.pause();
    },
    ontext: (text) => void texts?.push(text),
    onclosetag(name) {
      if (name === 'title') title ??= texts?.join('');
      if (name === 'head') parser.pause();
      texts = undefined;
    },
  });
  parser.write(html);
  return { title, metas, base, links };
}

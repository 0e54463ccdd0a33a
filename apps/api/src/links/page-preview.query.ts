import type { Caller } from '@ledgerline/domain/access/caller';
import { type Beginning, type GuardOptions, fetchBeginning } from '@ledgerline/platform/outbound/guarded-fetch';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ApiProperty } from '@nestjs/swagger';
import { assertMay } from '../auth/assert-may';
import { Id, WebAddress } from '../http/fields';
import type { Plain } from '../http/record.dto';

export class PagePreviewQueryDto {
  @Id('The organization that is about to link to it')
  organizationId: string;

  @WebAddress({ description: 'The page', example: 'https://example.com/spring' })
  url: string;
}

export class PagePreviewDto {
  @ApiProperty({ enum: [true] })
  success: true;

  @ApiProperty({ type: String, nullable: true, description: 'Null where the page has none, or was not read in time' })
  title: string | null;

  @ApiProperty({ type: String, nullable: true })
  description: string | null;
}

/** What a page says about itself, for people who are about to link to it. */
export class PreviewPage extends Query<Plain<PagePreviewDto>> {
  constructor(
    readonly wanted: PagePreviewQueryDto,
    readonly caller: Caller,
    /** Aborted when the client goes away. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

const MAX_MS = 2_000;
/** Where heads of pages end, with their scripts. */
const MAX_BYTES = 512 * 1024;

@QueryHandler(PreviewPage)
export class PreviewPageHandler implements IQueryHandler<PreviewPage> {
  /** Specs let it reach servers of their own. */
  guard: GuardOptions = { http: true };

  async execute({ wanted, caller, signal }: PreviewPage): Promise<Plain<PagePreviewDto>> {
    assertMay(caller, 'links:write', { organizationId: wanted.organizationId });
    const limits = { maxBytes: MAX_BYTES, signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]) };
    const page = await fetchBeginning(wanted.url, this.guard, limits).catch(() => undefined); // why not is no matter
    return { success: true, ...pageTexts(page && htmlOf(page)) };
  }
}

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

const MAX_TITLE = 255;
const MAX_DESCRIPTION = 1_000;

/** The title and description of a page, by its social card where it has one. */
export function pageTexts(html = ''): Pick<PagePreviewDto, 'title' | 'description'> {
  const { title, metas } = readHead(html);
  const description = metas.get('og:description') ?? metas.get('description');
  return {
    title: textOf(metas.get('og:title') ?? title, MAX_TITLE),
    description: textOf(description, MAX_DESCRIPTION),
  };
}

const TAG = /^<(\/?[a-z][a-z\d]*)((?:"[^"]*"|'[^']*'|[^>"'])*)>/i;
/** Whatever is longer is passed over: so every character is looked at a few times only. */
const MAX_TAG = 4_096;
const WITH_TEXT = /^(title|script|style)$/;

/** The title and the meta elements of a page, from its beginning to the end of its head. */
function readHead(html: string) {
  const metas = new Map<string, string>();
  let title: string | undefined;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    const isComment = html.startsWith('<!--', at);
    const [whole, tag = '', own = ''] = isComment ? [] : (TAG.exec(html.slice(at, at + MAX_TAG)) ?? []);
    const name = tag.toLowerCase();
    const start = at + (whole?.length ?? 0);
    if (name === 'body' || name === '/head') break;
    if (name === 'meta') metas.set(...metaOf(own));
    const end = isComment ? html.indexOf('-->', at) : WITH_TEXT.test(name) ? closeOf(name, html, start) : start;
    if (end < 0) break;
    if (name === 'title') title ??= html.slice(start, end);
    at = end > at ? end : /[a-z/]/i.test(html.charAt(at + 1)) ? at + MAX_TAG : at + 1;
  }
  return { title, metas };
}

function closeOf(name: string, html: string, start: number): number {
  const close = new RegExp(`</${name}`, 'gi');
  close.lastIndex = start;
  return close.exec(html)?.index ?? -1;
}

/** The name of a meta element, and its content. */
function metaOf(attributes: string): [name: string, content: string] {
  const found = [...attributes.matchAll(/([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g)];
  const values = new Map(found.map(([, name = '', ...texts]) => [name.toLowerCase(), texts.find(Boolean) ?? '']));
  return [(values.get('property') ?? values.get('name') ?? '').toLowerCase(), values.get('content') ?? ''];
}

/** Those that titles have; others stay as they are written. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', ndash: '–', mdash: '—', hellip: '…' },
    ...{ laquo: '«', raquo: '»', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', middot: '·', bull: '•', copy: '©' },
  }),
);

/** Plain text of one line; null for none. */
function textOf(html: string | undefined, max: number): string | null {
  const text = (html ?? '')
    .replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (whole, hex?: string, decimal?: string, name?: string) =>
      name === undefined
        ? characterOf(Number.parseInt(hex ?? decimal ?? '', hex ? 16 : 10))
        : (ENTITIES.get(name) ?? whole),
    )
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return Array.from(text).slice(0, max).join('') || null;
}

const characterOf = (code: number): string => (code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : '');

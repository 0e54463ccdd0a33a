import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ApiProperty } from '@nestjs/swagger';
import type { Caller } from '@ledgerline/domain/access/caller';
import { type GuardOptions, fetchBeginning } from '@ledgerline/platform/outbound/guarded-fetch';
import { readPageHead, type PageHead } from '@ledgerline/platform/outbound/page-head';
import { Id, inOneDirection, WebAddress } from '../http/fields';
import type { PlainData } from '../http/record.dto';
import { assertMay } from '../http/route';

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

/** Asks what a page says about itself, for people who are about to link to it. */
export class PreviewPage extends Query<PlainData<PagePreviewDto>> {
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

  async execute({ wanted, caller, signal }: PreviewPage): Promise<PlainData<PagePreviewDto>> {
    assertMay(caller, 'links:write', { organizationId: wanted.organizationId });
    const limits = { maxBytes: MAX_BYTES, signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]) };
    const page = await fetchBeginning(wanted.url, this.guard, limits).catch(() => undefined); // why not is no matter
    return { success: true, ...pageTexts(readPageHead(page)) };
  }
}

const MAX_TITLE = 255;
const MAX_DESCRIPTION = 1_000;

/** The title and description of a page, by its social card where it has one. */
export const pageTexts = ({ title, metas }: PageHead): Pick<PagePreviewDto, 'title' | 'description'> => ({
  title: textOf(metas.get('og:title') || title, MAX_TITLE),
  description: textOf(metas.get('og:description') || metas.get('description'), MAX_DESCRIPTION),
});

/** Returns a text in one line; null for none. */
const textOf = (text = '', max: number): string | null =>
  Array.from(
    inOneDirection(text)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
  )
    .slice(0, max)
    .join('') || null;

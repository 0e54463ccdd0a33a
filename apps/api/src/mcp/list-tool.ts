import type { Type } from '@nestjs/common';
import { ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import type { Action } from '@ledgerline/domain/access/permissions';
import { Type as As } from 'class-transformer';
import { IsInt, IsOptional, Min } from 'class-validator';
import { Id, PageSize, Text } from '../http/fields';
import { list, object, text, whole, yes } from '../http/json-schema';
import type { Entry, ResourceType } from '../resources/resource';
import { ListRecords } from '../resources/resource.queries';
import { firstThatFit, shortened } from './truncate-for-model';
import { FROM_PEOPLE, organizationOf, tool, type Tool } from './tool';

const USUAL = 20;
const MAX_CHARACTERS = 24_000;

class ListInput {
  @Id('Only those of this website; without it also those of the whole organization', { optional: true })
  websiteId?: string;

  @Text(1, 100, { description: 'Only those with this text in their name', optional: true })
  search?: string;

  @PageSize(USUAL, 50)
  limit = USUAL;

  @ApiPropertyOptional({ type: 'integer', default: 0, minimum: 0, description: 'How many to skip' })
  @IsOptional()
  @As(() => Number)
  @IsInt()
  @Min(0)
  offset = 0;
}

interface Listed<Of extends Entry, Dto extends object> extends Pick<Tool, 'title' | 'description'> {
  /** `flags` of `list_flags`. */
  readonly of: string;
  readonly action: Action;
  readonly resource: ResourceType<Of, Dto>;
  readonly record: Type<object>;
  /** What a search compares. */
  readonly nameOf: (record: Dto) => string;
}

/** A tool that lists what the credential may read of a resource. */
export const listTool = <Of extends Entry, Dto extends object>({
  of,
  resource,
  record,
  nameOf,
  description,
  ...described
}: Listed<Of, Dto>): Tool =>
  tool({
    ...described,
    name: `list_${of}`,
    description: `${description} \`total\` counts all that match; the next ones follow from \`nextOffset\`.`,
    effect: 'read',
    input: ListInput,
    output: object({
      [of]: list({ $ref: getSchemaPath(record) }),
      total: whole,
      nextOffset: { type: ['integer', 'null'] },
      truncated: { ...yes, description: `True if more ${of} follow, or long lists and texts are cut` },
      note: text,
    }),
    answer: async ({ websiteId, search = '', limit, offset }, { caller, queries }) => {
      const wanted = { organizationId: organizationOf(caller), websiteId };
      const all = await queries.execute(new ListRecords(resource, wanted, caller));
      const found = all.filter((each) => nameOf(each).toLowerCase().includes(search.toLowerCase()));
      const page = found.slice(offset, offset + limit);
      const shown = firstThatFit(shortened(page), MAX_CHARACTERS);
      const nextOffset = offset + shown.length < found.length ? offset + shown.length : null;
      const isCut = JSON.stringify(shown) !== JSON.stringify(page.slice(0, shown.length));
      return {
        [of]: shown,
        total: found.length,
        nextOffset,
        truncated: nextOffset !== null || isCut,
        note: isCut ? `${FROM_PEOPLE} Long texts and lists are cut.` : FROM_PEOPLE,
      };
    },
  });

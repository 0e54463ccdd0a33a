import { ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Min } from 'class-validator';
import { FlagDto, flagDto } from '../../flags/flag.dto';
import { ListFlags } from '../../flags/list-flags.query';
import { Id, PageSize, Text } from '../../http/fields';
import { list, object, text, whole, yes } from '../../http/json-schema';
import { firstThatFit, shortened } from '../truncate-for-model';
import { organizationOf, tool } from '../tool';
import { FROM_PEOPLE } from './notes';

const USUAL = 20;
const MAX_CHARACTERS = 24_000;

class ListFlagsInput {
  @Id('Only flags of this website; without it also those of the whole organization', { optional: true })
  websiteId?: string;

  @Text(1, 100, { description: 'Only flags with this text in their key or name', optional: true })
  search?: string;

  @PageSize(USUAL, 50)
  limit = USUAL;

  @ApiPropertyOptional({ type: 'integer', default: 0, minimum: 0, description: 'How many to skip' })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  offset = 0;
}

export const listFlags = tool({
  name: 'list_flags',
  title: 'List feature flags',
  description:
    'The feature flags that this credential may read, oldest first, with status, rollout, variants and rules. `total` ' +
    'counts all that match; the next ones follow from `nextOffset`. A flag without websiteId is one of all websites.',
  action: 'flags:read',
  effect: 'read',
  input: ListFlagsInput,
  output: object({
    flags: list({ $ref: getSchemaPath(FlagDto) }),
    total: whole,
    nextOffset: { type: ['integer', 'null'] },
    truncated: { ...yes, description: 'True if more flags follow, or long lists and texts are cut' },
    note: text,
  }),
  answer: async ({ websiteId, search = '', limit, offset }, { caller, queries }) => {
    const flags = await queries.execute(new ListFlags({ organizationId: organizationOf(caller), websiteId }, caller));
    const found = flags.filter(({ key, name }) => `${key} ${name}`.toLowerCase().includes(search.toLowerCase()));
    const wanted = found.slice(offset, offset + limit).map(flagDto);
    const shown = firstThatFit(shortened(wanted), MAX_CHARACTERS);
    const nextOffset = offset + shown.length < found.length ? offset + shown.length : null;
    const isCut = JSON.stringify(shown) !== JSON.stringify(wanted.slice(0, shown.length));
    return {
      flags: shown,
      total: found.length,
      nextOffset,
      truncated: nextOffset !== null || isCut,
      note: isCut ? `${FROM_PEOPLE} Long texts and lists are cut.` : FROM_PEOPLE,
    };
  },
});

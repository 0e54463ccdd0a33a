import { Controller, Injectable, Module, applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsOptional, IsString, Length } from 'class-validator';
import {
  MAX_LINK_TAGS,
  MAX_TAG_NAME,
  TAG_COLORS,
  type TagColor,
  type TagDetails,
} from '@ledgerline/contracts/events/tag.events';
import type { RecordOf } from '@ledgerline/contracts/records';
import { Registry } from '@ledgerline/domain/registry/registry';
import { plainTag } from '@ledgerline/domain/tags/tag.decider';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { SharedStreamResource, updateDtoClass, recordOfFields } from '../commands/resource';
import { ResourcesModule, accessOf, resourceController } from '../commands/resource.controller';
import { ChoiceField, Id, Text } from '../http/fields';
import { invalid } from '../http/problems';
import type { PlainData } from '../http/record.dto';

@Injectable()
export class Tags extends SharedStreamResource<RecordOf<'tags'>, TagDetails, PlainData<TagDto>> {
  readonly kind = 'tags';
  readonly defaults = plainTag;

  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {
    super();
  }

  /** Returns those of these tags that there are. */
  existing(tagIds: readonly string[]): string[] {
    return tagIds.filter((id) => this.registry.find('tags', id));
  }

  /** Finds a tag, also one that another process created a moment ago. */
  named(tagId: string): Promise<RecordOf<'tags'> | undefined> {
    return this.live.find(() => this.registry.find('tags', tagId));
  }

  /** @throws Problem VALIDATION_ERROR for what is no tag of the organization */
  async assertKnown(organizationId: string, tagIds: readonly string[], field: string): Promise<void> {
    const tags = await Promise.all(tagIds.map((id) => this.named(id)));
    const details = tags.flatMap((tag, at) =>
      tag?.organizationId === organizationId
        ? []
        : [{ field: `${field}[${at}]`, message: 'Must be a tag of the organization.' }],
    );
    if (details.length > 0) throw invalid(details);
  }
}

/** The ids of some tags, by default of those of a link. */
export const TagIds = (description = 'Ids of its tags') =>
  applyDecorators(
    ApiPropertyOptional({
      type: [String],
      nullable: true,
      maxItems: MAX_LINK_TAGS,
      description,
      example: [],
    }),
    IsOptional(),
    IsArray(),
    ArrayMaxSize(MAX_LINK_TAGS),
    ArrayUnique(),
    IsString({ each: true }),
    Length(1, 64, { each: true }),
  );

class CreateTagDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, MAX_TAG_NAME, { description: 'Display name, unique in its organization', example: 'Newsletter' })
  name: string;

  @ChoiceField(TAG_COLORS, plainTag.color, 'How it is shown')
  color?: TagColor | null;
}

/** The changes of a tag: what is left out stays as it is. */
class UpdateTagDto extends updateDtoClass(CreateTagDto, 'organizationId') {}

class TagDto extends recordOfFields<TagDetails, CreateTagDto>(CreateTagDto, plainTag) {}

const TAGS = { kind: 'tags', resource: Tags, create: CreateTagDto, update: UpdateTagDto, record: TagDto } as const;

@ApiTags('Tags')
@Controller('v1/tags')
class TagsController extends resourceController({
  ...TAGS,
  ...accessOf('tags'),
  summaries: {
    create: 'Create a tag for links',
    list: 'The tags of an organization, in the order in which they were created',
    one: 'One tag',
    update: 'Change a tag',
    delete: 'Delete a tag: no link has it any more, and its name is free for another',
  },
}) {}

/** For agents. */
export const TAG_TOOLS = {
  ...TAGS,
  tools: {
    list: 'The tags of links, oldest first; list_links with a tagId lists the links of one.',
    create: 'Creates a tag for links.',
    update: 'Its links keep it.',
    delete: 'Deletes a tag: no link has it any more, and its name is free.',
  },
} as const;

/** By what links are put together. */
@Module({ imports: [ResourcesModule], controllers: [TagsController], providers: [Tags], exports: [Tags] })
export class TagsModule {}

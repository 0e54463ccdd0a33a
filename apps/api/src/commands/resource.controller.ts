import {
  Body,
  Delete,
  Get,
  Inject,
  Module,
  Param,
  Patch,
  Post,
  Query,
  type Type,
  applyDecorators,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiQuery } from '@nestjs/swagger';
import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import { RECORD_KINDS, type RecordKindName, type RecordKinds } from '@ledgerline/contracts/record-kinds';
import type { Caller } from '@ledgerline/domain/access/caller';
import { ApiEntityTag, TaggedAnswer } from '../http/entity-tag';
import {
  ApiList,
  type ListAnswer,
  OrganizationListDto,
  type PlainData,
  type RecordDto,
  listOf,
} from '../http/record.dto';
import { CurrentCaller, type Permission, Requires } from '../http/route';
import { PipeOf } from '../http/validation';
import { type CommandContext, type CommandResult, CurrentCommandContext, Deletes } from './command-context';
import { CommandsModule } from './command-runner';
import { type OrganizationOwnedRecord, Resources, type ResourceType } from './resource';
import {
  ActOnRecordHandler,
  ChangeRecord,
  ChangeRecordHandler,
  CreateRecord,
  CreateRecordHandler,
  OwnRecords,
} from './resource.commands';
import {
  FindRecord,
  FindRecordHandler,
  ListRecords,
  ListRecordsHandler,
  PreviewRecordHandler,
  Records,
} from './resource.queries';

type Permissions = readonly [Permission, ...Permission[]];

/** The routes of a resource: what they take, what they say of themselves, and whom they let in. */
interface Routes<Of extends OrganizationOwnedRecord, Dto extends object> {
  readonly resource: ResourceType<Of, Dto>;
  readonly create: Type<object>;
  readonly update: Type<object>;
  readonly record: Type<RecordDto>;
  /** The query string of the list. */
  readonly list?: Type<OrganizationListDto>;
  readonly reads: Permissions;
  readonly writes: Permissions;
  /** The summary of each route. */
  readonly summaries: Readonly<Record<'create' | 'list' | 'one' | 'update' | 'delete', string>>;
  /** Whom the permissions mean, in words. */
  readonly readers?: string;
  readonly changers?: string;
  /** The addition to it of a change. */
  readonly updaters?: string;
  /** A decorator with what else the document says of the route that creates one. */
  readonly creation?: MethodDecorator;
  /** True if a record that was read before is not sent again. */
  readonly isTagged?: boolean;
}

type AccessedKind = {
  [Kind in RecordKindName]: RecordKinds[Kind] extends { readonly access: { readonly read: { readonly scope: Scope } } }
    ? Kind
    : never;
}[RecordKindName];

/** Whom the declaration of a kind lets in, as permissions and in words. */
export function accessOf(kind: AccessedKind) {
  const { read, write, ...access } = RECORD_KINDS[kind].access;
  const what = 'isOfWebsites' in access ? 'its website or everything' : 'everything';
  const inWords = ({ scope, role }: typeof read | typeof write) =>
    `For keys with \`${scope}\` on ${what}, and ${PEOPLE[role]}.`;
  return {
    reads: [read.scope, 'person'],
    writes: [write.scope, 'person'],
    readers: inWords(read),
    changers: inWords(write),
  } as const;
}

const PEOPLE = { member: 'members of the organization', admin: 'people who are owner or admin' } as const;

/** The buses, to which further routes send what is their own. */
interface ResourceController {
  readonly commands: CommandBus;
  readonly queries: QueryBus;
}

/** The five routes of a resource. A controller that extends it states its path, and may have others or its own list. */
export function resourceController<Of extends OrganizationOwnedRecord, Dto extends object>({
  resource,
  record,
  summaries,
  readers,
  changers,
  ...routes
}: Routes<Of, Dto>): new (commands: CommandBus, queries: QueryBus) => ResourceController {
  const Describes = (summary: string, description: string | undefined) =>
    ApiOperation({ summary, ...(description && { description }) });
  const Says = (more: MethodDecorator | undefined) => applyDecorators(...(more ? [more] : []));
  const Tagged = () => Says(routes.isTagged ? ApiEntityTag() : undefined);
  const tagged = <Answer>(answer: Answer, tag?: string) =>
    routes.isTagged ? new TaggedAnswer(answer, tag === undefined ? {} : { tag }) : answer;

  const ListQuery = routes.list ?? OrganizationListDto;

  class Controller implements ResourceController {
    constructor(
      @Inject(CommandBus) readonly commands: CommandBus,
      @Inject(QueryBus) readonly queries: QueryBus,
    ) {}

    @Post()
    @Describes(summaries.create, changers)
    @Requires(...routes.writes)
    @ApiCreatedResponse({ type: record })
    @ApiBody({ type: routes.create })
    @Says(routes.creation)
    create(
      @Body(new PipeOf(routes.create)) body: { organizationId: string },
      @CurrentCommandContext() context: CommandContext,
    ): Promise<CommandResult<Dto>> {
      return this.commands.execute(new CreateRecord(resource, body, context));
    }

    @Get()
    @Describes(summaries.list, readers)
    @Requires(...routes.reads)
    @Tagged()
    @ApiQuery({ type: ListQuery })
    @ApiList(record)
    async list(
      @Query(new PipeOf(ListQuery)) wanted: PlainData<OrganizationListDto>,
      @CurrentCaller() caller: Caller,
    ): Promise<ListAnswer<Dto> | TaggedAnswer<ListAnswer<Dto>>> {
      return tagged(listOf(await this.queries.execute(new ListRecords(resource, wanted, caller))));
    }

    @Get(':id')
    @Describes(summaries.one, readers)
    @Requires(...routes.reads)
    @Tagged()
    @ApiOkResponse({ type: record })
    async one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<Dto | TaggedAnswer<Dto>> {
      const found = await this.queries.execute(new FindRecord(resource, id, caller));
      return tagged(found, String(Reflect.get(found, 'revision')));
    }

    @Patch(':id')
    @Describes(summaries.update, routes.updaters ?? changers)
    @Requires(...routes.writes)
    @ApiOkResponse({ type: record })
    @ApiBody({ type: routes.update })
    update(
      @Param('id') id: string,
      @Body(new PipeOf(routes.update)) body: object,
      @CurrentCommandContext() context: CommandContext,
    ): Promise<CommandResult<Dto | null>> {
      return this.commands.execute(new ChangeRecord(resource, id, body, context));
    }

    @Delete(':id')
    @Describes(summaries.delete, changers)
    @Requires(...routes.writes)
    @Deletes()
    delete(
      @Param('id') id: string,
      @CurrentCommandContext() context: CommandContext,
    ): Promise<CommandResult<Dto | null>> {
      return this.commands.execute(new ChangeRecord(resource, id, null, context));
    }
  }

  return Controller;
}

/** Commands and queries of all resources. */
@Module({
  imports: [CommandsModule],
  providers: [
    Resources,
    Records,
    OwnRecords,
    CreateRecordHandler,
    ChangeRecordHandler,
    ActOnRecordHandler,
    PreviewRecordHandler,
    FindRecordHandler,
    ListRecordsHandler,
  ],
  exports: [Resources, Records, OwnRecords, CommandsModule],
})
export class ResourcesModule {}

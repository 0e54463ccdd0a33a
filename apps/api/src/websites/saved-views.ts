import { isDeepStrictEqual } from 'node:util';
import { Controller, Injectable, Module } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import type { RecordOf } from '@ledgerline/contracts/records';
import { type Action, type Caller, personOf, type AccessTarget as Scope } from '@ledgerline/domain/access/caller';
import { omit } from '@ledgerline/domain/decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { assertViewRange, plainView } from '@ledgerline/domain/saved-views/saved-view.decider';
import { SubjectKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { SealedValues } from '@ledgerline/platform/personal-data/sealed-values';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { StartedCommand } from '../commands/command-context';
import { recordOf } from '../commands/resource';
import { ResourcesModule, accessOf, resourceController } from '../commands/resource.controller';
import { forbidden, notFound } from '../http/problems';
import type { PlainData } from '../http/record.dto';
import { WebsiteDefinitions } from '../query/goals/definitions';
import { ListOfWebsiteDto } from '../query/goals/goal.dto';
import {
  type SavedViewContent,
  CreateSavedViewDto,
  type OpenView,
  SavedViewDto,
  UpdateSavedViewDto,
} from './saved-view.dto';

type SavedView = RecordOf<'savedViews'>;
type Changes = Partial<OpenView>;

/** In the events of a private view. */
const NOT_SHOWN = { ...plainView, name: null, filters: null };

@Injectable()
class SavedViews extends WebsiteDefinitions<SavedView, OpenView, PlainData<SavedViewDto>> {
  readonly kind = 'savedViews';
  readonly defaults = { ...plainView, isPrivate: false };
  private readonly values: SealedValues<SavedViewContent>;

  constructor(registry: Registry, live: LiveRegistry, keys: SubjectKeys) {
    super(registry, live);
    this.values = new SealedValues(keys);
  }

  override ownerOf({ ownerId }: SavedView): string | null {
    return ownerId;
  }

  /** A private one is its person's alone to change. */
  override authorize(caller: Caller, action: Action, view: Scope & Owned, name?: string): void {
    super.authorize(caller, action, view, name);
    if (action === this.writes && !isOpenTo(view, caller)) throw forbidden();
  }

  /** Others see of a private view that it exists. */
  override async records(views: readonly SavedView[], caller: Caller): Promise<readonly PlainData<SavedViewDto>[]> {
    const opened = await this.values.open(views.filter((view) => isOpenTo(view, caller)));
    return views.map(({ sealed, filters, ...view }) => ({
      ...recordOf({ ...view, filters: [...(filters ?? [])] }),
      ...opened.get(sealed ?? ''),
      isPrivate: view.ownerId !== null,
    }));
  }

  /** Refuses what the website does not have, and of a private view what no decider can read. */
  override async check(input: Changes, caller: Caller, current?: SavedView): Promise<void> {
    await super.check(input, caller, current);
    const of = current ?? input;
    await this.assertKnown('segments', input.segment, of);
    await this.assertKnown('goals', input.goal, of);
    if (current ? current.ownerId === null : input.isPrivate !== true) return;
    const person = personOf(caller);
    if (person === undefined) throw forbidden({ needs: 'person' });
    const content = await this.contentOf(input, current);
    assertViewRange(content);
    const own = this.registry.list('savedViews', of.organizationId ?? '');
    const others = own.filter(
      (view) => view.ownerId === person && view.websiteId === of.websiteId && view.id !== current?.id,
    );
    for (const { name } of (await this.values.open(others)).values())
      if (name === content.name) throw new Rejection('NAME_TAKEN', 'name');
  }

  /** Encrypted anew each time, so that content which stays the same is no change. */
  override async data(
    { isPrivate = false, ...input }: Changes,
    { id, caller }: StartedCommand,
    current?: SavedView,
  ): Promise<object> {
    const { organizationId = '', websiteId } = current ?? input;
    const ownerId = current ? current.ownerId : isPrivate ? (personOf(caller) ?? null) : null;
    if (ownerId === null) return current ? input : { ...input, ownerId, sealed: null };
    const content = await this.contentOf(input, current);
    if (current && isDeepStrictEqual(content, await this.contentOf({}, current))) return {};
    const sealed = await this.values.seal({ organizationId, id }, content);
    return current ? { sealed } : { organizationId, websiteId, ownerId, ...NOT_SHOWN, sealed };
  }

  /** Makes unreadable what no private view of the stream holds any more, also of a change that did not get here. */
  override async stored(_: Changes | null, after: SavedView | null, history: readonly Recorded[]): Promise<void> {
    if (after && after.ownerId === null) return;
    const sealed = history.flatMap(({ type, data }) =>
      type === 'SavedViewCreated' || type === 'SavedViewUpdated' ? [{ ...data, id: data.savedViewId }] : [],
    );
    const deleted = new Set(history.flatMap(({ type, data }) => (type === 'SavedViewDeleted' ? data.savedViewId : [])));
    const held = new Map(sealed.map((each) => [each.id, each]));
    await this.values.destroy(sealed.filter((each) => deleted.has(each.id) || held.get(each.id) !== each));
  }

  /** Returns what a private view holds once it is changed. */
  private async contentOf(changes: Changes, current: SavedView | undefined): Promise<SavedViewContent> {
    const opened = current && (await this.values.open([current])).get(current.sealed ?? '');
    return { ...plainView, name: '', ...opened, ...omit(changes, 'organizationId', 'websiteId', 'isPrivate') };
  }

  private async assertKnown(kind: 'segments' | 'goals', id: string | null | undefined, of: Changes | SavedView) {
    if (id === null || id === undefined) return;
    const found = await this.live.find(() => this.registry.find(kind, id));
    const { websiteId } = of;
    if (found?.organizationId !== of.organizationId || (found?.websiteId ?? websiteId) !== websiteId)
      throw notFound(RECORD_KINDS[kind].noun);
  }
}

/** The person of a private view. */
type Owned = Partial<Pick<SavedView, 'ownerId'>>;

const isOpenTo = ({ ownerId = null }: Owned, caller: Caller): boolean =>
  ownerId === null || ownerId === personOf(caller);

const READERS =
  'For keys with `read:data` on its website or everything, and members of the organization. What a private one holds is shown to its person alone.';

const SAVED_VIEWS = {
  kind: 'savedViews',
  resource: SavedViews,
  create: CreateSavedViewDto,
  update: UpdateSavedViewDto,
  record: SavedViewDto,
} as const;

@ApiTags('Saved views')
@Controller('v1/saved-views')
class SavedViewsController extends resourceController({
  ...SAVED_VIEWS,
  list: ListOfWebsiteDto,
  ...accessOf('savedViews'),
  readers: READERS,
  changers:
    'For keys with `write:data` on its website or everything, and members of the organization; a private one is for its person alone, whom a key is not.',
  summaries: {
    create: 'Save what the pages of a website are about: a range, filters, a segment, a goal and a comparison',
    list: 'The saved views of an organization that the caller may read, in the order in which they were created',
    one: 'One saved view',
    update: 'Change a saved view',
    delete: 'Delete a saved view; its name is free for another',
  },
}) {}

/** For agents. */
export const SAVED_VIEW_TOOLS = {
  ...SAVED_VIEWS,
  tools: {
    list:
      'The saved views of websites, oldest first: a range (`preset`, or `startDate` and `endDate`), `filters`, `segment`, ' +
      '`goal` and `compare` under a name, which `query` takes as they are. Of private ones of other people only that they exist.',
    create: 'Saves what the pages of a website are about under a name. With isPrivate only the person sees it.',
    update: 'Null clears a part of it.',
    clears: ['preset', 'startDate', 'endDate', 'compare', 'filters', 'segment', 'goal'],
    delete: 'Deletes a saved view; its name is free.',
  },
} as const;

/** Provides the views that people look at again. */
@Module({
  imports: [ResourcesModule],
  controllers: [SavedViewsController],
  providers: [SavedViews],
})
export class SavedViewsModule {}

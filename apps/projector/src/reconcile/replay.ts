import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { execute, tableDdl } from '@ledgerline/platform/database/read-model-ddl';
import { identifier } from '@ledgerline/platform/database/sql';
import type { PoolClient } from 'pg';
import { isWebsiteEvent } from '../projections/websites/read-hit';
import type { WrittenTables } from '../projections/written-tables';
import type { BoundGroup } from '../runner/bound-group';
import type { LivePartition } from './live-partition';
import { eventsBetween } from './log-counts';

export type ReplayedGroup = Pick<BoundGroup, 'builds' | 'types' | 'project' | 'subjectOf' | 'dictionary'>;

/** The schema of temporary tables, which go with their connection. */
const SCHEMA = 'pg_temp';
/** Events that are projected at once, about. */
const BATCH = 2_000;

/** The events of one website, link or monitor, projected from the log to temporary tables beside the live ones. */
export class Replay {
  /** IANA, of the days of the subject. */
  zone = 'UTC';
  private cursor: Cursor = BEGINNING;

  private constructor(
    private readonly client: PoolClient,
    private readonly group: ReplayedGroup,
    private readonly live: LivePartition,
    private readonly subject: string,
  ) {}

  static async open(client: PoolClient, group: ReplayedGroup, live: LivePartition, subject: string): Promise<Replay> {
    const models = group.builds.filter((model) => live.tables.targetsOf(model).length > 0);
    await execute(
      client,
      models.map((model) => tableDdl(SCHEMA, model)),
    );
    return new Replay(client, group, live, subject);
  }

  /** The table of a model, quoted. */
  static tableOf = ({ name }: ReadModel): string => identifier(SCHEMA, name).text;

  async readTo(upTo: Cursor): Promise<void> {
    const { live, group } = this;
    let events: LoggedHit[] = [];
    for await (const [read] of eventsBetween({ ...live.part, types: group.types }, this.cursor, upTo)) {
      events.push(...read.filter((each) => group.subjectOf(each) === this.subject));
      if (events.length < BATCH) continue;
      await this.project(events);
      events = [];
    }
    await this.project(events);
    if (live.part.log.compare(this.cursor, upTo) < 0) this.cursor = upTo;
  }

  private async project(events: readonly LoggedHit[]): Promise<void> {
    const [first] = events;
    if (!first) return;
    if (isWebsiteEvent(first.event)) this.zone = first.event.data.zone;
    await this.group.project(this.client, this.tables, events);
  }

  private readonly tables: WrittenTables = {
    state: SCHEMA,
    targetsOf: (model) =>
      this.live.tables.targetsOf(model).length > 0 ? [{ schema: SCHEMA, model, isAppended: false }] : [],
  };
}

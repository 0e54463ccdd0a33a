import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { alertDecisions } from '@ledgerline/contracts/read-models/alerts';
import type { Alert } from '@ledgerline/contracts/records';
import type { AlertProgress } from '@ledgerline/domain/alerts/decide-window';
import { readTransaction, run } from '@ledgerline/platform/database/pool';
import { type Sql, sql } from '@ledgerline/platform/database/sql';
import { ReadStores, onReadStore } from '@ledgerline/platform/read-stores/read-stores';
import { liveTables, orRebuilding } from '@ledgerline/platform/table-versions/live-tables';
import type { PlainData } from '../http/record.dto';
import { POOL } from '../tokens';
import { AlertFigures } from './alert-figures';
import type { AlertDto } from './alert.dto';
import type { AlertDecisionDto, DecidedDto } from './decision.dto';

interface DecisionRow {
  readonly alertId: string;
  readonly outcome: DecidedDto['outcome'];
  readonly from: Date;
  readonly to: Date;
  readonly figure: number | null;
  readonly usual: number | null;
  readonly asOf: Date;
  readonly revision: number;
}

interface StateRow {
  readonly id: string;
  readonly revision: number;
  readonly progress: AlertProgress;
  readonly verdict: string | null;
}

type State = AlertDto['state'];

const SNAPSHOT = 'begin isolation level repeatable read read only';
const COLUMNS = sql`alert_id as "alertId", outcome, began_at as "from", ended_at as "to", figure, usual, as_of as "asOf",
  revision::float8 as revision`;
/** The outcomes that are told; others are counts of windows that told nothing. */
const TOLD = sql`outcome in ('fired', 'over', 'blind', 'seeing')`;

/** Reads what alerts decided, and how they are. */
@Injectable()
export class AlertDecisions {
  constructor(
    private readonly stores: ReadStores,
    @Inject(POOL) private readonly main: Pool,
    private readonly figures: AlertFigures,
  ) {}

  /** What an alert told, the newest first, with the figures of its windows today. */
  async list(alert: Alert, limit: number, before: Date | null): Promise<readonly PlainData<AlertDecisionDto>[]> {
    const earlier = before ? sql` and ended_at < ${before}` : sql``;
    const rows = await this.read(
      [alert.id],
      (table, ids) => sql`select ${COLUMNS} from ${table}
        where alert_id = any(${ids}::text[]) and ${TOLD}${earlier} order by ended_at desc, outcome limit ${limit}`,
    );
    const now = await this.figuresNow(alert, rows);
    return rows.map((row, nth) => ({ ...shown(row), figureNow: now[nth] ?? null }));
  }

  /** What each alert told last, by its id. */
  async last(ids: readonly string[]): Promise<ReadonlyMap<string, PlainData<DecidedDto>>> {
    const rows = await this.read(
      ids,
      (table, own) => sql`select distinct on (alert_id) ${COLUMNS} from ${table}
        where alert_id = any(${own}::text[]) and ${TOLD} order by alert_id, ended_at desc, outcome`,
    );
    return new Map(rows.map((row) => [row.alertId, shown(row)]));
  }

  async states(alerts: readonly Alert[]): Promise<ReadonlyMap<string, State>> {
    const rows = await run<StateRow & Record<string, unknown>>(
      this.main,
      sql`select alert_id as id, revision::float8 as revision, progress, verdict from alert_states
        where alert_id = any(${alerts.map(({ id }) => id)}::text[])`,
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    return new Map(alerts.map((alert) => [alert.id, stateOf(alert, found.get(alert.id))]));
  }

  private async read(
    ids: readonly string[],
    query: (table: Sql, ids: readonly string[]) => Sql,
  ): Promise<readonly DecisionRow[]> {
    if (ids.length === 0) return [];
    const byPool = await this.stores.byPool(ids);
    const found = await Promise.all(
      [...byPool].map(([pool, own]) =>
        onReadStore(() =>
          readTransaction(pool, SNAPSHOT, async (client) => {
            const tables = await liveTables(client, 'monitors');
            if (!tables) return [];
            const table = await orRebuilding(client, () => tables.wholeTable(alertDecisions));
            return run<DecisionRow & Record<string, unknown>>(client, query(table, own));
          }),
        ),
      ),
    );
    return found.flat();
  }

  /** Null of windows that were decided by another rule, or could not be seen, and of what is not there any more. */
  private async figuresNow(alert: Alert, rows: readonly DecisionRow[]): Promise<readonly (number | null)[]> {
    const asked = rows.filter(({ figure, revision }) => figure !== null && revision === alert.revision);
    if (asked.length === 0) return [];
    const windows = asked.map(({ from, to }) => ({ from: from.getTime(), to: to.getTime() }));
    try {
      const { figures } = await this.figures.read(alert, windows);
      const known = new Map(asked.map((row, nth) => [row, figures[nth] ?? null]));
      return rows.map((row) => known.get(row) ?? null);
    } catch (error) {
      if (error instanceof Problem && error.code === 'VALIDATION_ERROR') return []; // its goal or segment is deleted
      throw error;
    }
  }
}

const shown = ({ outcome, from, to, figure, usual, asOf }: DecisionRow): PlainData<DecidedDto> => ({
  outcome,
  from: from.toISOString(),
  to: to.toISOString(),
  figure,
  usual,
  asOf: asOf.toISOString(),
});

function stateOf({ enabled, revision }: Alert, state: StateRow | undefined): State {
  if (!enabled) return 'paused';
  if (state?.revision !== revision) return 'waiting';
  if (state.progress.isBlind) return 'blind';
  if (state.progress.firingSince !== null) return 'firing';
  if (state.verdict === null) return 'waiting';
  return state.verdict === 'undecided' ? 'undecided' : 'ok';
}

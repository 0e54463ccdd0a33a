import { readStoredTables } from '@ledgerline/platform/database/table-declaration';
import { pendingVersion, readLayout, type GroupLayout } from '@ledgerline/platform/table-versions/group-layout';
import { changeLayout } from '../runner/change-layout';
import { withVersionsLock } from '../runner/live-version';
import { repeatWork, type GroupWork } from '../runner/repeat-work';
import { isOwn } from '../runner/resolve-tables';
import { RebuiltElsewhere } from './catch-up';
import { describeDifferences } from './describe-differences';
import { keepPrevious } from './previous-version';
import { rebuild } from './rebuild';

interface Keeping extends GroupWork {
  /** How long after a pass the next one begins. */
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;
/** The batches of those that answer wait for one of these at most. */
const BATCH = 4_000;
const OUTAGE = { began: 'tables cannot be filled; trying again', ended: 'tables are filled again' };

/** Fills what is pending in a group, and keeps the version before current, until the signal. */
export const keepVersions = ({ everyMs = EVERY_MS, ...work }: Keeping): Promise<void> =>
  repeatWork(work, { everyMs, ...OUTAGE }, async () => {
    await fillPending(work);
    await keepPrevious(work.group, work.signal);
  });

async function fillPending({ group, logger, signal }: GroupWork): Promise<void> {
  const layout = await readLayout(group.pool, group.name);
  const version = layout && pendingVersion(layout);
  if (!layout || version === undefined || hasDifferences(layout)) return;
  if (!isOwn(group, version, await readStoredTables(group.pool, group.name))) return; // another program fills it
  const tables = group.builds.filter(({ name }) => layout.tables[name]?.pending === version);
  logger.info({ version, tables: tables.map(({ name }) => name) }, 'filling tables beside those that answer');
  try {
    const result = await rebuild({ group, tables, version, signal, flip: true, batch: BATCH });
    const { differences = [], mended, flipped } = result;
    if (mended) logger.error(`Texts that were changed got those of the log:\n${describeDifferences([mended])}`);
    if (flipped) {
      logger.info({ version }, 'the tables are filled and answer');
      return;
    }
    await withVersionsLock(group.pool, (client) => changeLayout(client, group.name, withDifferences));
    logger.error(
      `The tables of ${group.name} that were filled after an upgrade differ from those that answer, which stay; to accept them: npm run projections -- rebuild ${group.name} --accept\n${describeDifferences(differences)}`,
    );
  } catch (error) {
    if (!(error instanceof RebuiltElsewhere)) throw error;
  }
}

const hasDifferences = ({ tables }: GroupLayout): boolean => Object.values(tables).some(({ differs }) => differs);

const withDifferences = (layout: GroupLayout): GroupLayout => ({
  ...layout,
  tables: Object.fromEntries(
    Object.entries(layout.tables).map(([name, place]) => [
      name,
      place.pending === undefined ? place : { ...place, differs: true as const },
    ]),
  ),
});

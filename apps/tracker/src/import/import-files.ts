import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { Hit, IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { skipReason, type SkipReason } from './classify';
import { parseCombinedLine } from './combined-line';
import { linesOf } from './lines-of';
import { pageViewOf, type ImportTarget } from './page-view-of-line';

/** The result of an import. */
export interface ImportReport {
  lines: number;
  /** Page views that were not there before, and those that were. */
  added: number;
  known: number;
  /** Page views, of both, beyond the daily limit of hits per visitor. */
  withoutVisitor: number;
  readonly skipped: Record<SkipReason, number>;
  /** The first lines that could not be read, as `file:number`. */
  readonly unparseable: string[];
}

export interface ImportDeps extends ImportTarget {
  readonly log: Pick<IntakeLog, 'send'>;
  readonly now: () => number;
  readonly onBytes: (bytes: number) => void;
}

const BATCH = 2_000;
const NAMED_LINES = 20;

export const emptyReport = (): ImportReport => ({
  lines: 0,
  added: 0,
  known: 0,
  withoutVisitor: 0,
  skipped: { unparseable: 0, method: 0, status: 0, file: 0, feed: 0, no_user_agent: 0, bot: 0, time: 0 },
  unparseable: [],
});

/**
 * Imports access logs as page views. Lines that were imported before are recognised and add nothing.
 * @throws StartFailure for files that are no access logs at all
 */
export async function importFiles(files: readonly string[], deps: ImportDeps): Promise<ImportReport> {
  const report = emptyReport();
  for (const file of files) await importFile(file, deps, report);
  if (report.lines === report.skipped.unparseable)
    throw new StartFailure(`Nothing was imported: ${files.join(', ')} has no line in the combined format.`);
  return report;
}

async function importFile(file: string, deps: ImportDeps, report: ImportReport): Promise<void> {
  deps.identity.beginFile();
  let batch: Hit[] = [];
  let sending: Promise<void> = Promise.resolve();
  let number = 0;
  for await (const lines of linesOf(file, deps.onBytes)) {
    for (const line of lines) {
      const hit = readLine(line.endsWith('\r') ? line.slice(0, -1) : line, `${file}:${++number}`, deps, report);
      if (hit !== null) batch.push(hit);
    }
    if (batch.length < BATCH) continue;
    await sending; // reading goes on while one batch is under way
    sending = send(batch, deps.log, report);
    sending.catch(() => undefined); // rejects at the next await
    batch = [];
  }
  await sending;
  await send(batch, deps.log, report);
}

function readLine(text: string, place: string, deps: ImportDeps, report: ImportReport): Hit | null {
  if (text.trim() === '') return null;
  report.lines++;
  const now = deps.now();
  const line = parseCombinedLine(text);
  const reason = line === null ? 'unparseable' : skipReason(line, now);
  const event = line === null || reason !== null ? null : pageViewOf(line, text, deps, now);
  if (event !== null) {
    if (event.data.visitorId === null) report.withoutVisitor++;
    return { event, subject: deps.website.id, dedupe: 'forever' };
  }
  report.skipped[reason ?? 'unparseable']++;
  if ((reason ?? 'unparseable') === 'unparseable' && report.unparseable.length < NAMED_LINES)
    report.unparseable.push(place);
  return null;
}

async function send(batch: readonly Hit[], log: ImportDeps['log'], report: ImportReport): Promise<void> {
  if (batch.length === 0) return;
  const { outcomes } = await log.send(batch);
  for (const outcome of outcomes) report[outcome === 'stored' ? 'added' : 'known']++;
}

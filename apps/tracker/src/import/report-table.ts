import Table from 'cli-table3';
import { SKIP_REASONS, type SkipReason } from './classify';
import { mostFrequent, type ImportReport } from './import-report';

/** Endings that the table names. */
const NAMED_TYPES = 10;

/** The report as a table, with the lines that could not be read. */
export function reportTable(report: ImportReport, seconds: number, isDryRun = false): string {
  const { lines, added, known, withoutVisitor, skipped, unparseable } = report;
  const views = added + known;
  const table = new Table({ style: { head: [], border: [], compact: true }, colAligns: ['left', 'right'] });
  const row = (name: string, count: number) => table.push([name, count.toLocaleString('en-US')]);
  row('lines', lines);
  row('page views', views);
  row(isDryRun ? '  to be added' : '  added', added);
  row('  already imported', known);
  if (withoutVisitor > 0) row('  without visitor: over the daily limit', withoutVisitor);
  row(
    'skipped',
    Object.values(skipped).reduce((a, b) => a + b, 0),
  );
  for (const [reason, count] of Object.entries(skipped)) {
    if (count > 0) row(`  ${SKIP_REASONS[reason as SkipReason]}`, count);
    if (reason === 'file')
      for (const [type, { count: files, example }] of mostFrequent(report.files, NAMED_TYPES))
        row(`    .${type}, as ${example}`, files);
  }
  row('events per second', Math.round(views / Math.max(seconds, 0.001)));
  const named = unparseable.length === 0 ? '' : `\nLines that could not be read:\n  ${unparseable.join('\n  ')}`;
  return `${table.toString()}${named}`;
}

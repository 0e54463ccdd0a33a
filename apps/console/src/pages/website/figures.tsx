import { Info } from 'lucide';
import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react';
import type { AnnotationSubject } from '../../api/annotations';
import { Icon } from '../../components/button';
import type { ChartSeries } from '../../components/draw-chart';
import { LineChart } from '../../components/line-chart';
import { Tooltip } from '../../components/overlays';
import { Table } from '../../components/table';
import { useAnnotations } from './annotations/use-annotations';
import { Bell, type BellSubject } from './bell';
import { bucketAt, bucketStart, formatBucket, formatFigure, formatTick, UNKNOWN, type Kind } from './format';
import type { AnyRow } from './lists/cell';
import { fieldNamed } from './lists/declare-list';
import { FigureChange } from './lists/list-table';

interface FiguresProps {
  /** Tells screen readers what they are of. */
  readonly label: string;
  readonly row: AnyRow | undefined;
  readonly fields: readonly string[];
  /** The field that is drawn beside them, and the way to draw another one. */
  readonly drawn?: {
    readonly field: string;
    readonly fields: readonly string[];
    readonly onDraw: (field: string) => void;
  };
  /** The subject of the alerts that they lead to; none where there are none to be made. */
  readonly bells?: BellSubject | undefined;
}

/** The totals of a range, each with what it means and how it changed. */
export const Figures = ({ label, row, fields, drawn, bells }: FiguresProps) => (
  <dl className="figures" aria-label={label}>
    {fields.map((field) => (
      <Figure
        key={field}
        field={field}
        row={row}
        drawn={drawn?.fields.includes(field) ? drawn : undefined}
        bells={bells}
      />
    ))}
  </dl>
);

/** The figures of alerts, by the fields that show them. */
const ALERTED: Readonly<Partial<Record<string, string>>> = {
  unique_visitors: 'visitors',
  pageviews: 'pageviews',
  bounce_rate: 'bounce_rate',
  median_session_duration: 'session_duration',
  total_errors: 'errors',
  conversions: 'conversions',
  total: 'clicks',
};

interface FigureProps extends Pick<FiguresProps, 'row' | 'bells'> {
  readonly field: string;
  readonly drawn: FiguresProps['drawn'] | undefined;
}

function Figure({ field, row, drawn, bells }: FigureProps) {
  const { header, kind, meaning = '', isEstimate } = fieldNamed(field);
  const alerted = ALERTED[field];
  const figure = formatFigure(kind, row?.[field]);
  const value = isEstimate && figure !== UNKNOWN ? `≈ ${figure}` : figure;
  return (
    <div className={drawn?.field === field ? 'figure drawn' : 'figure'}>
      <dt>
        {header}
        <Tooltip label={`About ${header}`} text={`${meaning} ${isEstimate ? 'Within 1 %.' : 'Exact.'}`.trim()}>
          <Icon of={Info} />
        </Tooltip>
        {bells && alerted && <Bell {...bells} figure={alerted} of={header} />}
      </dt>
      <dd>
        {drawn ? (
          <button
            type="button"
            className="figure-value"
            aria-pressed={drawn.field === field}
            title={`Draw ${header}`}
            onClick={() => drawn.onDraw(field)}
          >
            {value}
          </button>
        ) : (
          <span className="figure-value">{value}</span>
        )}
        <Changed row={row} field={field} />
      </dd>
    </div>
  );
}

/** Shows how it changed, and from what; nothing where there was nothing. */
function Changed({ row = {}, field }: { readonly row: AnyRow | undefined; readonly field: string }) {
  const { previous } = row as { readonly previous?: AnyRow };
  const { kind } = fieldNamed(field);
  const before = previous?.[field];
  if (typeof before !== 'number') return null;
  const isKept = before === row[field];
  return (
    <span className="figure-before">
      <FigureChange row={row} field={field} />{' '}
      {!isKept && (before > 0 || kind !== 'count') && <span className="soft">from {formatFigure(kind, before)}</span>}
    </span>
  );
}

/** A count in a row of a table, and how it changed. */
export const ComparedCount = ({ row, field }: { readonly row: AnyRow | undefined; readonly field: string }) => (
  <span className="compared">
    {formatFigure('count', row?.[field])}
    {row && <FigureChange row={row} field={field} />}
  </span>
);

interface SeriesChartProps {
  readonly title: string;
  readonly rows: readonly AnyRow[];
  readonly field: string;
  /** The kind of its values, where that is not the same in every row. */
  readonly kind?: Kind | undefined;
  /** The time zone of the labels of the rows. */
  readonly timeZone: string;
  /** Days that were selected with the pointer, both inclusive. */
  readonly onSelect: (from: string, to: string) => void;
  readonly actions?: ReactNode;
  /** The website or link whose annotations are drawn and can be added; none where they are nobody's to read. */
  readonly about?: AnnotationSubject | undefined;
}

/** Loaded where there are any. */
const Annotations = lazy(async () => ({ default: (await import('./annotations/annotations')).ChartAnnotations }));
const NewAnnotation = lazy(async () => ({ default: (await import('./annotations/annotations')).NewAnnotation }));

/** A series as lines, with the earlier range dashed, and as a table for those who prefer to read it. */
export function SeriesChart({ title, rows, field, kind, timeZone, onSelect, actions, about }: SeriesChartProps) {
  const labels = useMemo(() => rows.map((row) => String(row['date'])), [rows]);
  const series = useMemo(() => seriesOf(rows, field, kind), [rows, field, kind]);
  const current = useMemo(() => bucketAt(labels, timeZone), [labels, timeZone]);
  const { shown, marks } = useAnnotations(about, labels, timeZone);
  const [addedAt, setAddedAt] = useState<Date>();
  return (
    <div className="series-chart">
      <LineChart
        title={title}
        labels={labels}
        current={current}
        formatLabel={formatBucket}
        formatTick={formatTick}
        series={series}
        onSelect={(from, to) => onSelect(from.slice(0, 10), to.slice(0, 10))}
        marks={marks}
        {...(about && { onPick: (at) => setAddedAt(bucketStart(labels[at] ?? '', timeZone)), pickText: 'add a note' })}
      />
      {about && addedAt && (
        <Suspense>
          <NewAnnotation about={about} at={addedAt} onClose={() => setAddedAt(undefined)} />
        </Suspense>
      )}
      {shown.length > 0 && (
        <details className="chart-notes">
          <summary>{shown.length === 1 ? '1 note' : `${shown.length} notes`}</summary>
          <Suspense>
            <Annotations shown={shown} />
          </Suspense>
        </details>
      )}
      {actions}
      <details className="chart-table">
        <summary>Show as table</summary>
        <Table
          caption={`${title}, as a table`}
          columns={[
            { header: 'Time', cell: ({ at }) => formatBucket(labels[at] ?? '') },
            ...series.map(({ name, values, format }) => ({
              header: name,
              isNumber: true,
              cell: ({ at }: { at: number }) => format(values[at] ?? null),
            })),
          ]}
          rows={labels.map((_, at) => ({ at })).reverse()}
          keyOf={({ at }) => String(at)}
        />
      </details>
    </div>
  );
}

/** A field of a series, and what it was earlier. */
function seriesOf(rows: readonly AnyRow[], field: string, given?: Kind): ChartSeries[] {
  const { header, kind: usual, isEstimate } = fieldNamed(field);
  const kind = given ?? usual;
  const format = (value: number | null) => formatFigure(kind, value);
  const isWhole = kind === 'count';
  const now = {
    name: `${header}${isEstimate ? ' ≈' : ''}`,
    values: rows.map((row) => numberIn(row, field)),
    format,
    isWhole,
  };
  const earlier = rows.map((row) => numberIn((row['previous'] ?? {}) as AnyRow, field));
  const isCompared = rows.some((row) => row['previous'] !== undefined);
  return isCompared ? [now, { name: 'Earlier', values: earlier, format, isEarlier: true }] : [now];
}

function numberIn(row: AnyRow, field: string): number | null {
  const value = row[field];
  return typeof value === 'number' ? value : null;
}

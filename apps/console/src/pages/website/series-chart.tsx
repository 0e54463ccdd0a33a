import { useMemo, type ReactNode } from 'react';
import type { ChartSeries } from '../../components/draw-chart';
import { LineChart } from '../../components/line-chart';
import { Table } from '../../components/table';
import type { AnyRow } from './lists/cell';
import { fieldNamed } from './lists/fields';
import { formatBucket, formatFigure, formatTick } from './format';

interface SeriesChartProps {
  readonly title: string;
  readonly rows: readonly AnyRow[];
  readonly field: string;
  /** Days that were selected with the pointer, both inclusive. */
  readonly onSelect: (from: string, to: string) => void;
  readonly actions?: ReactNode;
}

/** A series as lines, with the earlier range dashed, and as a table for those who prefer to read it. */
export function SeriesChart({ title, rows, field, onSelect, actions }: SeriesChartProps) {
  const labels = useMemo(() => rows.map((row) => String(row['date'])), [rows]);
  const series = useMemo(() => seriesOf(rows, field), [rows, field]);
  return (
    <div className="series-chart">
      <LineChart
        title={title}
        labels={labels}
        formatLabel={formatBucket}
        formatTick={formatTick}
        series={series}
        onSelect={(from, to) => onSelect(from.slice(0, 10), to.slice(0, 10))}
      />
      {actions}
      <details className="chart-table">
        <summary>The same as a table</summary>
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
function seriesOf(rows: readonly AnyRow[], field: string): ChartSeries[] {
  const { header, kind, isEstimate } = fieldNamed(field);
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

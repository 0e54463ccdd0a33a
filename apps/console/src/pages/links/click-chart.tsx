import type { RowOf } from '@ledgerline/client';
import { useMemo } from 'react';
import { LineChart } from '../../components/line-chart';
import { Table } from '../../components/table';
import { formatBucket, formatTick } from '../website/format';

interface ClickChartProps {
  readonly rows: readonly RowOf<'link_clicks_by_day'>[];
  /** Days that were selected with the pointer, both inclusive. */
  readonly onSelect: (startDate: string, endDate: string) => void;
}

/** The clicks of each day or hour as a line, and as a table. */
export function ClickChart({ rows, onSelect }: ClickChartProps) {
  const labels = useMemo(() => rows.map(({ date }) => date), [rows]);
  const series = useMemo(
    () => [{ name: 'Clicks', values: rows.map(({ clicks }) => clicks), format: numberOf, isWhole: true }],
    [rows],
  );
  return (
    <div className="panel">
      <LineChart
        title="Clicks over time"
        labels={labels}
        formatLabel={formatBucket}
        formatTick={formatTick}
        series={series}
        onSelect={(from, to) => onSelect(from.slice(0, 10), to.slice(0, 10))}
      />
      <details className="more">
        <summary>Clicks as a table</summary>
        <Table
          caption="Clicks over time"
          columns={[
            { header: 'Time', cell: ({ date }) => formatBucket(date) },
            { header: 'Clicks', isNumber: true, cell: ({ clicks }) => numberOf(clicks) },
          ]}
          rows={rows.toReversed()}
          keyOf={({ date }) => date}
        />
      </details>
    </div>
  );
}

const numberOf = (value: number | null): string => value?.toLocaleString('en') ?? '–';

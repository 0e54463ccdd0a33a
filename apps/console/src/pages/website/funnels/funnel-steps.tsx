import type { FunnelDto, RowOf } from '@ledgerline/client';
import type { CSSProperties } from 'react';
import { Button } from '../../../components/button';
import { Table, type Column } from '../../../components/table';
import { describeCondition } from '../conditions/condition-kinds';
import { formatFigure, UNKNOWN } from '../format';
import { Change } from '../lists/list-table';

export type StepRow = RowOf<'funnel'>;

interface FunnelStepsProps {
  readonly funnel: FunnelDto;
  /** One for each step. */
  readonly rows: readonly StepRow[];
  /** Lists who left after a step, or reached it. */
  readonly onWho: (state: 'reached' | 'dropped', step: number) => void;
}

/** How many reached each step, as bars beside the first one, and as a table for those who prefer to read it. */
export function FunnelSteps({ funnel, rows, onWho }: FunnelStepsProps) {
  const whom = funnel.per === 'session' ? 'sessions' : 'visitors';
  return (
    <>
      <ol className="funnel-steps" aria-label="Steps">
        {rows.map((row, at) => (
          <li key={row.step}>
            <h3>
              <span className="soft">{row.step}</span> <bdi>{row.name}</bdi>
            </h3>
            <p className="soft small">{conditionOf(funnel, at)}</p>
            <div className="funnel-bar" style={{ '--share': `${row.percentage}%` } as CSSProperties} />
            <p className="funnel-figures">
              <b>
                {formatFigure('count', row.reached)} {whom}
              </b>
              <Change row={{ ...row }} field="reached" />
              <span>{formatFigure('percent', row.percentage)} of the first step</span>
              {at > 0 && <span>{formatFigure('percent', row.percentage_of_previous)} of the step before</span>}
              {row.median_seconds !== null && (
                <span>{formatFigure('seconds', row.median_seconds)} after it (median)</span>
              )}
            </p>
            {at < rows.length - 1 ? (
              <Button variant="quiet" disabled={row.dropped === 0} onClick={() => onWho('dropped', row.step)}>
                {formatFigure('count', row.dropped)} left here
              </Button>
            ) : (
              <Button variant="quiet" disabled={row.reached === 0} onClick={() => onWho('reached', row.step)}>
                Who came to the end
              </Button>
            )}
          </li>
        ))}
      </ol>
      <details className="chart-table few-rows">
        <summary>Show as table</summary>
        <Table caption="Steps, as a table" columns={COLUMNS} rows={rows} keyOf={({ step }) => String(step)} />
      </details>
    </>
  );
}

const conditionOf = ({ steps }: FunnelDto, at: number): string => {
  const step = steps[at];
  return step ? describeCondition(step.condition) : '';
};

const figure = (
  field: 'reached' | 'dropped' | 'percentage' | 'percentage_of_previous',
  header: string,
): Column<StepRow> => ({
  header,
  isNumber: true,
  cell: (row) => (
    <span className="compared">
      {formatFigure(field.startsWith('percentage') ? 'percent' : 'count', row[field])}
      <Change row={{ ...row }} field={field} />
    </span>
  ),
});

const COLUMNS: readonly Column<StepRow>[] = [
  { header: 'Step', cell: ({ step, name }) => `${step} ${name}` },
  figure('reached', 'Reached'),
  figure('dropped', 'Left here'),
  figure('percentage', 'Of the first step'),
  figure('percentage_of_previous', 'Of the step before'),
  {
    header: 'Median time',
    isNumber: true,
    cell: ({ median_seconds: seconds }) => (seconds === null ? UNKNOWN : formatFigure('seconds', seconds)),
  },
];

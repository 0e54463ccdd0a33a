import type { FunnelDto, RowOf } from '@ledgerline/client';
import { Button } from '../../../components/button';
import { Table, type TableColumn } from '../../../components/table';
import { describeCondition } from '../conditions/condition-kinds';
import { formatFigure, UNKNOWN } from '../format';
import { FigureChange, type StyleWithVariables } from '../lists/list-table';

export type StepRow = RowOf<'funnel'>;

interface FunnelStepsProps {
  readonly funnel: FunnelDto;
  /** One for each step. */
  readonly rows: readonly StepRow[];
  /** Lists who left after a step, or reached it. */
  readonly onWho: (state: 'reached' | 'dropped', step: number) => void;
}

/**
 * Shows how many reached each step, as columns with what is lost between them, and as a table for those who prefer to
 * read it.
 */
export function FunnelSteps({ funnel, rows, onWho }: FunnelStepsProps) {
  return (
    <>
      <ol className="funnel-steps" aria-label="Steps" tabIndex={0}>
        {rows.map((row, at) => (
          <Step key={row.step} funnel={funnel} row={row} onWho={onWho} next={rows[at + 1]} />
        ))}
      </ol>
      <details className="chart-table few-rows">
        <summary>Show as table</summary>
        <Table caption="Steps, as a table" columns={COLUMNS} rows={rows} keyOf={({ step }) => String(step)} />
      </details>
    </>
  );
}

interface StepProps extends Pick<FunnelStepsProps, 'funnel' | 'onWho'> {
  readonly row: StepRow;
  /** Undefined of the last one. */
  readonly next: StepRow | undefined;
}

function Step({ funnel, row, next, onWho }: StepProps) {
  const whom = funnel.per === 'session' ? 'sessions' : 'visitors';
  const shares: StyleWithVariables = { '--share': `${row.percentage}%`, '--next': `${next?.percentage ?? 0}%` };
  return (
    <li style={shares}>
      <div className="funnel-name">
        <h3>
          <span className="soft">{row.step}</span> <bdi>{row.name}</bdi>
        </h3>
        <p className="soft small">{conditionOf(funnel, row.step - 1)}</p>
      </div>
      <div className="funnel-bar" />
      {next && <div className="funnel-drop" />}
      <div className="funnel-figures">
        <b>
          {formatFigure('count', row.reached)} {whom}
        </b>
        <FigureChange row={{ ...row }} field="reached" />
        {row.step > 1 && <span>{formatFigure('percent', row.percentage)} of the first step</span>}
        {row.median_seconds !== null && (
          <span className="soft">{formatFigure('seconds', row.median_seconds)} after the step before (median)</span>
        )}
      </div>
      <div className="funnel-left">
        {next ? (
          <>
            {row.reached > 0 && <b>−{formatFigure('percent', (100 * row.dropped) / row.reached)}</b>}
            <Button variant="quiet" disabled={row.dropped === 0} onClick={() => onWho('dropped', row.step)}>
              {formatFigure('count', row.dropped)} left here
            </Button>
          </>
        ) : (
          <Button variant="quiet" disabled={row.reached === 0} onClick={() => onWho('reached', row.step)}>
            Who came to the end
          </Button>
        )}
      </div>
    </li>
  );
}

const conditionOf = ({ steps }: FunnelDto, at: number): string => {
  const step = steps[at];
  return step ? describeCondition(step.condition) : '';
};

const figure = (
  field: 'reached' | 'dropped' | 'percentage' | 'percentage_of_previous',
  header: string,
): TableColumn<StepRow> => ({
  header,
  isNumber: true,
  cell: (row) => (
    <span className="compared">
      {formatFigure(field.startsWith('percentage') ? 'percent' : 'count', row[field])}
      <FigureChange row={{ ...row }} field={field} />
    </span>
  ),
});

const COLUMNS: readonly TableColumn<StepRow>[] = [
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

import { Tooltip } from '../../components/tooltip';
import type { AnyRow } from './lists/cell';
import { fieldNamed } from './lists/fields';
import { formatFigure, UNKNOWN } from './format';
import { Change } from './lists/list-table';

interface FiguresProps {
  /** What they are of, for screen readers. */
  readonly label: string;
  readonly row: AnyRow | undefined;
  readonly fields: readonly string[];
  /** The field that is drawn beside them, and the way to draw another one. */
  readonly drawn?: {
    readonly field: string;
    readonly fields: readonly string[];
    readonly onDraw: (field: string) => void;
  };
}

/** The totals of a range, each with what it means and how it changed. */
export const Figures = ({ label, row, fields, drawn }: FiguresProps) => (
  <dl className="figures" aria-label={label}>
    {fields.map((field) => (
      <Figure key={field} field={field} row={row} drawn={drawn?.fields.includes(field) ? drawn : undefined} />
    ))}
  </dl>
);

interface FigureProps {
  readonly field: string;
  readonly row: AnyRow | undefined;
  readonly drawn: FiguresProps['drawn'] | undefined;
}

function Figure({ field, row, drawn }: FigureProps) {
  const { header, kind, meaning = '', isEstimate } = fieldNamed(field);
  const figure = formatFigure(kind, row?.[field]);
  const value = isEstimate && figure !== UNKNOWN ? `≈ ${figure}` : figure;
  return (
    <div className={drawn?.field === field ? 'figure drawn' : 'figure'}>
      <dt>
        <Tooltip text={`${meaning} ${isEstimate ? 'Within 1 %.' : 'Exact.'}`}>{header}</Tooltip>
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

/** How it changed, and from what; nothing where there was nothing. */
function Changed({ row = {}, field }: { readonly row: AnyRow | undefined; readonly field: string }) {
  const { previous } = row as { readonly previous?: AnyRow };
  const { kind } = fieldNamed(field);
  const before = previous?.[field];
  if (typeof before !== 'number') return null;
  return (
    <span className="figure-before">
      <Change row={row} field={field} />{' '}
      {(before > 0 || kind !== 'count') && <span className="soft">from {formatFigure(kind, before)}</span>}
    </span>
  );
}

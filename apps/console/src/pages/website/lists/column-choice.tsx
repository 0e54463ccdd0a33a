import { Checkbox } from '../../../components/choices';
import { Popover } from '../../../components/overlays';
import type { ListColumn } from './declare-list';

interface ColumnChoiceProps {
  /** All but the first, which names the rows. */
  readonly columns: readonly ListColumn[];
  readonly hidden: ReadonlySet<string>;
  readonly onChange: (hidden: readonly string[]) => void;
}

/** Which columns of a list are shown. */
export const ColumnChoice = ({ columns, hidden, onChange }: ColumnChoiceProps) => (
  <Popover shown={<>Columns ▾</>} label="Columns">
    {() => (
      <div className="form">
        {columns.map(({ field, header }) => (
          <Checkbox
            key={field}
            label={header}
            checked={!hidden.has(field)}
            onChange={() =>
              onChange(columns.map((column) => column.field).filter((each) => hidden.has(each) !== (each === field)))
            }
          />
        ))}
      </div>
    )}
  </Popover>
);

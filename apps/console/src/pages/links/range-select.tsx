import { getRouteApi } from '@tanstack/react-router';
import type { ClickRange } from '../../api/link-clicks';
import { Input } from '../../components/input';
import { Select } from '../../components/select';
import { RANGES } from './click-range';

const route = getRouteApi('/signed-in/organizations/$organizationId/links/$linkId');

/** Some days up to today, or a first and a last day. */
export function RangeSelect({ range: { startDate, endDate } }: { readonly range: ClickRange }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isChosen = search.startDate !== undefined;
  const choose = (value: string) =>
    void navigate({ search: value === CHOSEN ? { startDate, endDate } : { range: value } });
  return (
    <div className="filters">
      <Select
        label="Range"
        options={[...RANGES, [CHOSEN, 'Chosen days']]}
        value={isChosen ? CHOSEN : (search.range ?? RANGES[0][0])}
        onChange={({ target }) => choose(target.value)}
      />
      {isChosen && (
        <>
          <Day label="From" value={startDate} max={endDate} onDay={(day) => ({ startDate: day, endDate })} />
          <Day label="To" value={endDate} min={startDate} onDay={(day) => ({ startDate, endDate: day })} />
        </>
      )}
    </div>
  );
}

const CHOSEN = 'chosen';

interface DayProps {
  readonly label: string;
  readonly value: string;
  readonly min?: string;
  readonly max?: string;
  readonly onDay: (day: string) => { readonly startDate: string; readonly endDate: string };
}

function Day({ onDay, ...rest }: DayProps) {
  const navigate = route.useNavigate();
  return (
    <Input
      {...rest}
      type="date"
      onChange={({ target }) => {
        if (target.value) void navigate({ search: onDay(target.value), replace: true });
      }}
    />
  );
}

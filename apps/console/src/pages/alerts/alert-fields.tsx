import { useQuery } from '@tanstack/react-query';
import type { AlertDirection } from '@ledgerline/contracts/events/alert.events';
import { goalsQuery } from '../../api/goals';
import { segmentsQuery } from '../../api/segments';
import { websitesQuery } from '../../api/websites';
import { Input, Select } from '../../components/field';
import { FilterBar } from '../website/view/filter-bar';
import { FILTER_FIELDS, LINK_FILTER_FIELDS } from '../website/view/filter-fields';
import type { Selection } from '../website/view/use-view';
import { type AlertDraft, comparisonsOf, figuresOf, windowsOf, withComparison, withFigure } from './alert-draft';
import { COMPARISONS, DIRECTION_OPTIONS, FIGURES, lengthText, PAUSE_OPTIONS } from './alert-words';

export interface AlertFieldsProps {
  readonly draft: AlertDraft;
  readonly organizationId: string;
  readonly change: (more: Partial<AlertDraft>) => void;
}

export function WebsiteField({ draft, change, organizationId }: AlertFieldsProps) {
  const { data: websites = [] } = useQuery(websitesQuery(organizationId));
  return (
    <Select
      label="Website"
      name="websiteId"
      options={websites.map(({ id, name }) => [id, name] as const)}
      value={draft.websiteId ?? ''}
      onChange={({ currentTarget: { value } }) => change({ websiteId: value, goalId: null, segment: null })}
    />
  );
}

export function FigureFields({ draft, change }: AlertFieldsProps) {
  const figures = figuresOf(draft);
  return (
    <>
      <Select
        label="Figure"
        name="figure"
        options={figures.map((figure) => [figure, FIGURES[figure]] as const)}
        value={draft.figure}
        onChange={({ currentTarget: { value } }) => {
          const figure = figures.find((each) => each === value);
          if (figure) change(withFigure(draft, figure));
        }}
      />
      <Select
        label="Of the last"
        name="window"
        options={windowsOf(draft.figure).map((minutes) => [String(minutes), lengthText(minutes)] as const)}
        value={String(draft.window.minutes)}
        onChange={({ currentTarget: { value } }) => {
          const minutes = windowsOf(draft.figure).find((each) => String(each) === value);
          if (minutes) change({ window: { minutes } });
        }}
      />
    </>
  );
}

/** The goal of conversions, and the segment whose sessions are counted. */
export function OfWebsiteFields({ draft, change, organizationId }: AlertFieldsProps) {
  const of = { organizationId, websiteId: draft.websiteId ?? '' };
  const { data: goals = [] } = useQuery(goalsQuery(of));
  const { data: segments = [] } = useQuery(segmentsQuery(of));
  const named = (records: readonly { readonly id: string; readonly name: string }[]) =>
    records.map(({ id, name }) => [id, name] as const);
  const isOfGoal = draft.figure === 'conversions';
  if (!isOfGoal && segments.length === 0 && draft.segment === null) return null;
  return (
    <div className="form-row">
      {isOfGoal && (
        <Select
          label="Goal"
          name="goalId"
          options={[['', goals.length === 0 ? 'There are none yet' : 'Choose one'], ...named(goals)]}
          value={draft.goalId ?? ''}
          onChange={({ currentTarget: { value } }) => change({ goalId: value || null })}
        />
      )}
      {(segments.length > 0 || draft.segment !== null) && (
        <Select
          label="Segment"
          name="segment"
          options={[['', 'All sessions'], ...named(segments)]}
          value={draft.segment ?? ''}
          onChange={({ currentTarget: { value } }) => change({ segment: value || null })}
        />
      )}
    </div>
  );
}

/** Suggests values of the last month. */
export function Filters({ draft: { websiteId, linkId, filters }, change }: AlertFieldsProps) {
  const target = linkId === null ? { website: websiteId ?? '' } : { link: linkId };
  const scope = { ...target, preset: 'last_30d' as const, ...(filters.length > 0 && { filters: [...filters] }) };
  const select: Selection['select'] = (parts) => change({ filters: parts.filters ?? [] });
  return (
    <div className="analytics">
      <div className="view-bar" role="group" aria-label="Filters" tabIndex={-1}>
        <FilterBar view={{ filters, scope, select }} fields={linkId === null ? FILTER_FIELDS : LINK_FILTER_FIELDS} />
      </div>
    </div>
  );
}

export function ComparisonFields({ draft, change }: AlertFieldsProps) {
  const { compare, direction } = draft;
  const comparisons = comparisonsOf(draft.figure);
  const isNumber = compare === 'above' || compare === 'below';
  return (
    <div className="form-row">
      <Select
        label="Condition"
        name="compare"
        options={comparisons.map((each) => [each, COMPARISONS[each]] as const)}
        value={compare}
        onChange={({ currentTarget: { value } }) => {
          const next = comparisons.find((each) => each === value);
          if (next) change(withComparison(draft, next));
        }}
      />
      {isNumber && <NumberField draft={draft} change={change} name="threshold" label="Threshold" required />}
      {compare === 'changed' && (
        <>
          <NumberField draft={draft} change={change} name="percent" label="By more than (%)" required />
          <Select
            label="Direction"
            name="direction"
            options={DIRECTION_OPTIONS}
            value={direction ?? 'both'}
            onChange={({ currentTarget: { value } }) => change({ direction: value as AlertDirection })}
          />
        </>
      )}
    </div>
  );
}

interface NumberFieldProps extends Omit<AlertFieldsProps, 'organizationId'> {
  readonly name: 'threshold' | 'percent' | 'minimum';
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
}

const NumberField = ({ draft, change, name, ...input }: NumberFieldProps) => (
  <Input
    {...input}
    name={name}
    type="number"
    min={0}
    step="any"
    value={draft[name] ?? ''}
    onChange={({ currentTarget: { value } }) => change({ [name]: value === '' ? null : Number(value) })}
  />
);

const NO_HOURS = { from: '', to: '' };

/** From when on, and when, it is told. */
export function FurtherFields({ draft, change }: AlertFieldsProps) {
  const { pauseMinutes, quietHours, graceSeconds, compare } = draft;
  const hours = quietHours ?? NO_HOURS;
  const time = (name: 'from' | 'to', label: string, hint?: string) => (
    <Input
      label={label}
      name={name}
      field={`quietHours.${name}`}
      type="time"
      {...(hint !== undefined && { hint })}
      value={hours[name]}
      onChange={({ currentTarget: { value } }) => change({ quietHours: { ...hours, [name]: value } })}
    />
  );
  const known = PAUSE_OPTIONS.some(([minutes]) => minutes === String(pauseMinutes));
  return (
    <div className="form-row">
      {(compare === 'above' || compare === 'changed') && (
        <NumberField draft={draft} change={change} name="minimum" label="Minimum" hint="Below it nobody is notified." />
      )}
      <Select
        label="Pause after a notification"
        name="pauseMinutes"
        options={known ? PAUSE_OPTIONS : [...PAUSE_OPTIONS, [String(pauseMinutes), lengthText(pauseMinutes)]]}
        value={String(pauseMinutes)}
        onChange={({ currentTarget: { value } }) => change({ pauseMinutes: Number(value) })}
      />
      {time('from', 'Quiet from', 'By the clock of the website, of a link UTC.')}
      {time('to', 'Quiet until', 'Notified then, if it is still so.')}
      <Input
        label="Wait for late hits (seconds)"
        name="graceSeconds"
        type="number"
        min={30}
        required
        value={graceSeconds}
        onChange={({ currentTarget: { value } }) => change({ graceSeconds: Number(value) })}
      />
    </div>
  );
}

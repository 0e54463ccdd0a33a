import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '../../../api/failure';
import { figuresQuery } from '../../../api/figures';
import { Button } from '../../../components/button';
import { Select } from '../../../components/field';
import { notify } from '../../../components/toasts';
import { formatDays } from '../format';
import type { Selection, Target } from './use-view';
import { MAX_HOURLY_DAYS, daysOf, granularityOf } from './view-scope';
import { COMPARISON_OPTIONS, DEFAULT_PRESET, GRANULARITY_OPTIONS, PRESET_OPTIONS } from './view-search';

/** The most days that a query takes. */
const MAX_DAYS = 3_660;

interface LongRangesProps {
  readonly view: Selection;
  /** With the days of the calendar that they are now. */
  readonly onChoose: (from: string, to: string) => void;
}

/** Ranges that the api has no name for; the address has their days. */
function LongRanges({ view, onChoose }: LongRangesProps) {
  const queryClient = useQueryClient();
  const today = new Date().toLocaleDateString('sv-SE', { timeZone: view.search.timezone ?? view.zone });
  const isOfOne = view.target.website !== undefined || view.target.link !== undefined;
  const year = Number(today.slice(0, 4)) - 1;
  const chooseAll = () =>
    firstDay(queryClient, view.target, today).then(
      (first = today) => onChoose(first, today),
      (error: unknown) => notify(messageOf(error)),
    );
  return (
    <>
      <Range text="Last year" onChoose={() => onChoose(`${year}-01-01`, `${year}-12-31`)} />
      <Range text="Last 12 months" onChoose={() => onChoose(daysBefore(today, 364), today)} />
      {isOfOne && <Range text="All time" onChoose={() => void chooseAll()} />}
    </>
  );
}

/** The day of the first page view or click; undefined without one. */
async function firstDay(queryClient: QueryClient, target: Target, today: string): Promise<string | undefined> {
  const ever = { startDate: daysBefore(today, MAX_DAYS - 1), endDate: today };
  if (target.link !== undefined) {
    const clicks = figuresQuery({ ...ever, link: target.link }, { name: 'link_clicks_by_day' });
    return (await queryClient.query(clicks)).rows.find((row) => row.clicks > 0)?.date;
  }
  const views = figuresQuery({ ...ever, website: target.website ?? '' }, { name: 'events_by_date' });
  return (await queryClient.query(views)).rows.find(({ pageviews }) => pageviews > 0)?.date;
}

const Range = ({ text, onChoose }: { readonly text: string; readonly onChoose: () => void }) => (
  <li>
    <button type="button" onClick={onChoose}>
      {text}
    </button>
  </li>
);

function daysBefore(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - days);
  return date.toISOString().slice(0, 10);
}

interface RangeMenuProps {
  readonly view: Selection;
  readonly onChosen: () => void;
}

/** The named ranges, and the days of the calendar. */
export function RangeMenu({ view, onChosen }: RangeMenuProps) {
  const { preset = DEFAULT_PRESET, from, to } = view.search;
  const isCustom = from !== undefined && to !== undefined;
  const choose = (parts: Parameters<typeof view.select>[0]) => {
    view.select({ preset: undefined, from: undefined, to: undefined, ...parts });
    onChosen();
  };
  const chooseDays = (first: string, last: string) => choose({ from: first, to: last });
  return (
    <div className="range">
      <ul className="presets">
        {PRESET_OPTIONS.map(([each, text]) => (
          <li key={each}>
            <button type="button" aria-pressed={!isCustom && each === preset} onClick={() => choose({ preset: each })}>
              {text}
            </button>
          </li>
        ))}
        <LongRanges view={view} onChoose={chooseDays} />
      </ul>
      <Calendar from={from} to={to} onChoose={chooseDays} />
    </div>
  );
}

interface CalendarProps {
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** With both days, once the second one is chosen. */
  readonly onChoose: (from: string, to: string) => void;
}

/** Two presses choose the first and the last day of a range. */
function Calendar({ from, to, onChoose }: CalendarProps) {
  const [month, setMonth] = useState((to ?? today()).slice(0, 7));
  const [start, setStart] = useState<string>();
  const choose = (day: string) => {
    if (start === undefined) setStart(day);
    else {
      const [first = day, last = day] = [start, day].sort();
      onChoose(first, last);
    }
  };
  const isWithin = (day: string) => (start === undefined ? day >= (from ?? '~') && day <= (to ?? '') : day === start);
  return (
    <div className="calendar">
      <div className="calendar-head">
        <Button variant="quiet" aria-label="The month before" onClick={() => setMonth(monthAfter(month, -1))}>
          ‹
        </Button>
        <strong aria-live="polite">{MONTH.format(new Date(`${month}-01T00:00:00Z`))}</strong>
        <Button variant="quiet" aria-label="The month after" onClick={() => setMonth(monthAfter(month, 1))}>
          ›
        </Button>
      </div>
      <div className="calendar-days" role="group" aria-label={start === undefined ? 'First day' : 'Last day'}>
        {WEEKDAYS.map((day) => (
          <span key={day} className="soft" aria-hidden="true">
            {day}
          </span>
        ))}
        {cellsOf(month).map((day, at) =>
          day === undefined ? (
            <span key={at} />
          ) : (
            <button
              key={day}
              type="button"
              aria-label={formatDays(day, day)}
              aria-pressed={isWithin(day)}
              aria-current={day === today() ? 'date' : undefined}
              onClick={() => choose(day)}
            >
              {Number(day.slice(8))}
            </button>
          ),
        )}
      </div>
      <p className="hint">
        {start === undefined ? 'Choose the first day' : `From ${formatDays(start, start)}: choose the last day`}
      </p>
    </div>
  );
}

const MONTH = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });
/** From Monday, which the first of this month was. */
const WEEKDAYS = Array.from({ length: 7 }, (_, day) =>
  new Intl.DateTimeFormat(undefined, { weekday: 'short', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + day)),
);

/** Returns today's day in the browser; the range is of the view's time zone. */
const today = (): string => new Intl.DateTimeFormat('sv-SE').format(new Date());

const monthAfter = (month: string, months: number): string => {
  const [year = 0, of = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, of - 1 + months, 1)).toISOString().slice(0, 7);
};

/** The days of a month below their weekdays: places before the first one are empty. */
function cellsOf(month: string): (string | undefined)[] {
  const [year = 0, of = 1] = month.split('-').map(Number);
  const before = (new Date(Date.UTC(year, of - 1, 1)).getUTCDay() + 6) % 7;
  const days = new Date(Date.UTC(year, of, 0)).getUTCDate();
  const named = Array.from({ length: days }, (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`);
  return [...Array.from({ length: before }, () => undefined), ...named];
}

export interface OptionsProps {
  readonly view: Selection;
  /** False where no course is drawn. */
  readonly isDrawn?: boolean;
}

/** Shows what the figures are compared with, how fine their course is, and whose days they are of. */
export function Options({ view, isDrawn = true }: OptionsProps) {
  const { search, select } = view;
  const isLong = daysOf(search) > MAX_HOURLY_DAYS;
  return (
    <div className="form">
      <Select
        label="Compare with"
        value={search.compare ?? 'previous_period'}
        options={COMPARISON_OPTIONS}
        onChange={({ target }) => {
          const chosen = COMPARISON_OPTIONS.find(([each]) => each === target.value)?.[0];
          select({ compare: chosen === 'previous_period' ? undefined : chosen });
        }}
      />
      {isDrawn && (
        <Select
          label="Draw"
          value={granularityOf(search)}
          options={isLong ? GRANULARITY_OPTIONS.filter(([each]) => each !== 'hourly') : GRANULARITY_OPTIONS}
          hint={isLong ? `Hours for at most ${MAX_HOURLY_DAYS} days` : undefined}
          onChange={({ target }) =>
            select({ granularity: GRANULARITY_OPTIONS.find(([each]) => each === target.value)?.[0] })
          }
        />
      )}
      <TimeZone view={view} />
    </div>
  );
}

/** Apart, as hundreds of names are listed once it is shown. */
const TimeZone = ({ view: { zoneText, search, select } }: { readonly view: Selection }) => (
  <Select
    label="Time zone"
    value={search.timezone ?? ''}
    options={timeZones(zoneText, search.timezone)}
    onChange={({ target }) => select({ timezone: target.value || undefined })}
  />
);

/** Their own first, then those that are likely, then all. */
function timeZones(ownText: string, chosen: string | undefined): readonly (readonly [string, string])[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const named = [...new Set([...(chosen ? [chosen] : []), own, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
  return [['', ownText], ...named.map((zone) => [zone, zone] as const)];
}

import { useState } from 'react';
import { Button } from '../../../components/button';
import { formatDays } from '../format';

interface CalendarProps {
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** With both days, once the second one is chosen. */
  readonly onChoose: (from: string, to: string) => void;
}

/** Two presses choose the first and the last day of a range. */
export function Calendar({ from, to, onChoose }: CalendarProps) {
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
        {daysOf(month).map((day, at) =>
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

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const WEEKDAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

/** Of the browser; the range is of the view's time zone. */
const today = (): string => new Intl.DateTimeFormat('sv-SE').format(new Date());

const monthAfter = (month: string, months: number): string => {
  const [year = 0, of = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, of - 1 + months, 1)).toISOString().slice(0, 7);
};

/** The days of a month below their weekdays: places before the first one are empty. */
function daysOf(month: string): (string | undefined)[] {
  const [year = 0, of = 1] = month.split('-').map(Number);
  const before = (new Date(Date.UTC(year, of - 1, 1)).getUTCDay() + 6) % 7;
  const days = new Date(Date.UTC(year, of, 0)).getUTCDate();
  const named = Array.from({ length: days }, (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`);
  return [...Array.from({ length: before }, () => undefined), ...named];
}

import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { AlertTrialDto } from '@ledgerline/client';
import { ALERT_FIGURES } from '@ledgerline/contracts/events/alert.events';
import { alertTrialQuery } from '../../api/alerts';
import { messageOf } from '../../api/failure';
import { Button } from '../../components/button';
import type { ChartMark, ChartSeries } from '../../components/draw-chart';
import { LineChart } from '../../components/line-chart';
import { Skeleton } from '../../components/states';
import { formatBucket, formatFigure, formatTick } from '../website/format';
import { type AlertDraft, type AlertRule, isCompleteRule, ruleIn } from './alert-draft';
import { FIGURES, formatAlertFigure, formatMoment } from './alert-words';
import { type DrawnWindow, nearestWindows, type Tried, type TriedWindow, tryRule, windowsIn } from './tried-windows';

interface AlertTrialProps {
  readonly draft: AlertDraft;
  readonly organizationId: string;
}

const PAUSE_MS = 500;

/** Shows when a rule would have told something, before it is saved; its numbers are tried on figures that are here. */
export function AlertTrial({ draft, organizationId }: AlertTrialProps) {
  const question = JSON.stringify(questionOf(draft, organizationId));
  const asked = usePaused(question);
  const hasGoal = draft.figure !== 'conversions' || draft.goalId !== null;
  const body = JSON.parse(asked) as ReturnType<typeof questionOf>;
  const { data, error } = useQuery({ ...alertTrialQuery(body), enabled: hasGoal });
  if (!hasGoal) return <p className="hint">When it would have told you is shown here once a goal is chosen.</p>;
  if (asked !== question || (!data && !error)) return <Skeleton lines={8} label="the trial" />;
  return data ? <TriedRule trial={data} rule={ruleIn(draft)} /> : <p className="hint">{messageOf(error)}</p>;
}

/** What figures depend on, the usual ones among them: no number of a rule. */
const questionOf = (draft: AlertDraft, organizationId: string) => {
  const { figure, goalId, filters, segment, window } = ruleIn(draft);
  const { websiteId, linkId } = draft;
  const subject = { organizationId, websiteId, linkId };
  const rule = { figure, goalId, filters: [...filters], segment, window, compare: 'changed' as const, percent: 50 };
  return { ...subject, ...rule, name: 'Trial', graceSeconds: ALERT_FIGURES[figure].minGraceSeconds };
};

/** A text as it was before the last keys, until nothing is pressed for a while. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

interface TrialProps {
  readonly trial: AlertTrialDto;
  readonly rule: AlertRule;
}

function TriedRule({ trial, rule }: TrialProps) {
  const { timezone } = trial;
  const key = JSON.stringify(rule);
  const windows = useMemo(() => windowsIn(trial), [trial]);
  const tried = useMemo(
    () => (isCompleteRule(rule) ? tryRule(rule, windows, timezone) : undefined),
    [key, windows, timezone],
  );
  const shown = { trial, rule, windows };
  return (
    <>
      <p role="status">
        {tried ? <TriedText {...shown} tried={tried} /> : 'When it would have told you is shown once it has a number.'}
      </p>
      {tried && windows.length > 1 && <TrialChart {...shown} tried={tried} />}
      {tried && tried.told.length > 0 && <ToldTimes {...shown} tried={tried} />}
    </>
  );
}

interface TriedProps extends TrialProps {
  readonly windows: readonly TriedWindow[];
  readonly tried: Tried;
}

const DAY_MS = 86_400_000;

function TriedText({ trial: { from, to }, rule, windows: { length }, tried: { told, decided } }: TriedProps) {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
  const count = (number: number) => formatFigure('count', number);
  const often = told.length === 0 ? 'nothing' : told.length === 1 ? 'once' : `${count(told.length)} times`;
  return (
    <>
      In the last {days} days it would have told you <b>{often}</b>.{' '}
      {decided < length && (
        <span className="soft">
          {count(length - decided)} of {count(length)} windows have no data
          {rule.compare === 'changed' && ', or fewer than two earlier weeks to compare with'}.
        </span>
      )}
    </>
  );
}

/** Shows what comes nearest to being told, what it is compared with, and what would have been told above it. */
function TrialChart({ trial: { timezone }, rule, windows, tried }: TriedProps) {
  const key = JSON.stringify(rule);
  const drawn = useMemo(() => nearestWindows(rule, windows, tried, timezone), [key, windows, tried, timezone]);
  const labels = useMemo(() => drawn.map(({ label }) => label), [drawn]);
  const series = useMemo(() => seriesOf(rule, drawn), [key, drawn]);
  const marks = useMemo(
    () =>
      drawn.flatMap(({ isTold }, at): ChartMark[] =>
        isTold ? [{ from: at, to: at, text: 'Triggered', kind: 'alert_fired' }] : [],
      ),
    [drawn],
  );
  const { figure, window } = rule;
  const of = `One window of each ${window.minutes < 60 ? 'hour' : 'day'}: the nearest to a notification.`;
  return (
    <>
      <LineChart
        title={`${FIGURES[figure]}. ${of}`}
        labels={labels}
        formatLabel={formatBucket}
        formatTick={(label) => formatTick(label.slice(0, 10))}
        series={series}
        marks={marks}
      />
      <p className="hint">{of}</p>
    </>
  );
}

function seriesOf({ figure, compare, threshold }: AlertRule, windows: readonly DrawnWindow[]): ChartSeries[] {
  const format = (value: number | null) => formatAlertFigure(figure, value);
  const isKnown = ({ usual }: DrawnWindow) => compare !== 'changed' || usual !== null;
  const values = windows.map((each) => (isKnown(each) ? each.figure : null));
  const own = { name: FIGURES[figure], values, format };
  if (compare === 'changed')
    return [own, { name: 'Usual', values: windows.map(({ usual }) => usual), format, isEarlier: true }];
  if (threshold === null) return [own];
  return [own, { name: 'Threshold', values: windows.map(() => threshold), format, isEarlier: true }];
}

/** So many are listed at first. */
const LISTED = 5;

/** Shows the days, the newest first. */
function ToldTimes({ trial: { timezone }, rule: { figure: name }, tried }: TriedProps) {
  const [isWhole, setWhole] = useState(false);
  const told = tried.told.toReversed();
  return (
    <>
      <ul className="annotations" aria-label="When it would have told you">
        {told.slice(0, isWhole ? undefined : LISTED).map(({ to, toldAt, figure, usual }) => (
          <li key={to}>
            <span className="soft">{formatMoment(toldAt, timezone)}</span>
            {FIGURES[name]} {formatAlertFigure(name, figure)}
            {usual !== null && <span className="soft">usual {formatAlertFigure(name, usual)}</span>}
          </li>
        ))}
      </ul>
      {!isWhole && told.length > LISTED && (
        <div className="actions">
          <Button variant="quiet" onClick={() => setWhole(true)}>
            Show all {told.length}
          </Button>
        </div>
      )}
    </>
  );
}

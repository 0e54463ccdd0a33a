import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { drawChart, type Chart, type ChartMark, type ChartSeries, type ReadPoint } from './draw-chart';

interface LineChartProps {
  /** Tells screen readers what it shows. */
  readonly title: string;
  /** The labels of the points, from left to right. */
  readonly labels: readonly string[];
  /** The label that is not over yet, if there is one; what comes after it is not drawn. */
  readonly current?: number | undefined;
  readonly formatLabel: (label: string) => string;
  /** In as few letters as an axis has room for. */
  readonly formatTick: (label: string) => string;
  readonly series: readonly ChartSeries[];
  /** After a range of labels was selected with the pointer. */
  readonly onSelect?: (from: string, to: string) => void;
  readonly marks?: readonly ChartMark[] | undefined;
  /** After a point was clicked, or Enter pressed at it: what this leads to is `pickText`. */
  readonly onPick?: ((point: number) => void) | undefined;
  readonly pickText?: string;
}

const NO_MARKS: readonly ChartMark[] = [];

/**
 * Lines over labels. The pointer or the arrow keys read the values of a point, which a table beside it should hold, too;
 * colours are those of the theme.
 */
export function LineChart({ current, marks = NO_MARKS, ...given }: LineChartProps) {
  const { title, labels, formatLabel, series, onSelect, onPick, pickText } = given;
  const id = useId();
  const begun = useMemo(() => series.map((each) => untilNow(each, current)), [series, current]);
  const { place, point, pointRead, show } = useDrawnChart({ ...given, current, marks, series: begun });
  const move = (event: KeyboardEvent) => {
    const read = pointRead();
    if (event.key === 'Enter' && read) onPick?.(read.index);
    const next = nextPoint(event.key, read?.index, labels.length);
    if (next === undefined) return;
    event.preventDefault();
    show(next);
  };
  return (
    <div className="chart">
      <div
        ref={place}
        className="chart-plot"
        role="group"
        aria-roledescription="chart"
        aria-label={`${title}. The arrow keys read its values${onSelect ? ', and dragging selects days' : ''}.${pickText ? ` Enter: ${pickText}.` : ''}`}
        aria-describedby={id}
        tabIndex={0}
        onKeyDown={move}
      />
      <Reading
        id={id}
        point={point}
        labels={labels}
        current={current}
        formatLabel={formatLabel}
        series={begun}
        marks={marks}
        pickText={pickText}
        width={place.current?.clientWidth ?? 0}
      />
      {series.length > 1 && (
        <p className="chart-legend" aria-hidden="true">
          {series.map(({ name, isEarlier }, at) => (
            <span key={name} className={swatchOf(at, isEarlier)}>
              {name}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

/** Draws a chart into the element of `place`, anew when what it shows or the theme changes, and reads its points. */
function useDrawnChart(given: LineChartProps & { readonly marks: readonly ChartMark[] }) {
  const { labels, series, current, marks, formatTick, onSelect, onPick } = given;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart>(undefined);
  const [point, setPoint] = useState<ReadPoint>();
  const theme = useThemeChanges();
  const props = useRef({ formatTick, onSelect, onPick, point });
  props.current = { formatTick, onSelect, onPick, point };
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const drawn = drawChart(element, labels, series, {
      current,
      formatTick: (label) => props.current.formatTick(label),
      onPoint: (read) => {
        props.current.point = read; // keys may follow each other sooner than it is rendered
        setPoint(read);
      },
      onSelect: (from, to) => props.current.onSelect?.(from, to),
      isSelectable: props.current.onSelect !== undefined,
      marks,
      onPick: (picked) => props.current.onPick?.(picked),
    });
    chart.current = drawn;
    const { point: read } = props.current;
    if (read !== undefined) queueMicrotask(() => drawn.show(read.index)); // it is drawn then
    return () => drawn.destroy();
  }, [labels, series, current, theme, marks]);
  return {
    place,
    point,
    pointRead: () => props.current.point,
    show: (index: number) => chart.current?.show(index),
  };
}

interface ReadingProps extends Pick<LineChartProps, 'labels' | 'current' | 'formatLabel' | 'series' | 'pickText'> {
  readonly marks: readonly ChartMark[];
  readonly id: string;
  readonly point: ReadPoint | undefined;
  /** The width of the chart, in pixels. */
  readonly width: number;
}

/** The values of the point, beside it: to the side that has more room. */
function Reading({ id, point, labels, current, formatLabel, series, width, marks, pickText }: ReadingProps) {
  const label = point && labels[point.index];
  const side = point && point.left > width / 2 ? 'before' : 'after';
  return (
    <p
      id={id}
      className={`chart-reading ${side}`}
      style={point && { left: `${point.left}px` }}
      aria-live="polite"
      hidden={label === undefined}
    >
      {point && label !== undefined && (
        <>
          <strong>{formatLabel(label)}</strong>
          {series.map(({ name, values, format, isEarlier }, at) => (
            <span key={name} className={swatchOf(at, isEarlier)}>
              {name}
              <b>{format(values[point.index] ?? null)}</b>
            </span>
          ))}
          {point.index === current && <span className="soft">So far</span>}
          {marks
            .filter(({ from, to }) => from <= point.index && point.index <= to)
            .map(({ text }, at) => (
              <span key={at} className="chart-mark">
                {text}
              </span>
            ))}
          {pickText && <span className="soft">Click: {pickText}</span>}
        </>
      )}
    </p>
  );
}

const swatchOf = (at: number, isEarlier = false) => `series series-${isEarlier ? 'earlier' : at + 1}`;

/** Without the values of what has not begun. */
const untilNow = (series: ChartSeries, current: number | undefined): ChartSeries =>
  current === undefined || series.isEarlier
    ? series
    : { ...series, values: series.values.map((value, at) => (at > current ? null : value)) };

/** The point that a key leads to; undefined for other keys. */
function nextPoint(key: string, point: number | undefined, points: number): number | undefined {
  const last = points - 1;
  switch (key) {
    case 'ArrowLeft':
      return Math.max((point ?? points) - 1, 0);
    case 'ArrowRight':
      return Math.min((point ?? -1) + 1, last);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/** Changes whenever the colours do. */
function useThemeChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const change = () => setChanges((before) => before + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    const observer = new MutationObserver(change);
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    system.addEventListener('change', change);
    return () => {
      observer.disconnect();
      system.removeEventListener('change', change);
    };
  }, []);
  return changes;
}

import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { drawChart, type Chart, type ChartSeries } from './draw-chart';

interface LineChartProps {
  /** What it shows, for screen readers. */
  readonly title: string;
  /** Of the points, from left to right. */
  readonly labels: readonly string[];
  readonly formatLabel: (label: string) => string;
  /** In as few letters as an axis has room for. */
  readonly formatTick: (label: string) => string;
  readonly series: readonly ChartSeries[];
  /** After a range of labels was selected with the pointer. */
  readonly onSelect?: (from: string, to: string) => void;
}

/**
 * Lines over labels. The pointer or the arrow keys read the values of a point, which a table beside it should hold, too;
 * colours are those of the theme.
 */
export function LineChart({ title, labels, formatLabel, formatTick, series, onSelect }: LineChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart>(undefined);
  const [point, setPoint] = useState<number>();
  const theme = useThemeChanges();
  const id = useId();
  const props = useRef({ formatTick, onSelect, point });
  props.current = { formatTick, onSelect, point };
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const drawn = drawChart(element, labels, series, {
      formatTick: (label) => props.current.formatTick(label),
      onPoint: setPoint,
      onSelect: (from, to) => props.current.onSelect?.(from, to),
      isSelectable: props.current.onSelect !== undefined,
    });
    chart.current = drawn;
    const { point: read } = props.current;
    if (read !== undefined) queueMicrotask(() => drawn.show(read)); // it is drawn then
    return () => drawn.destroy();
  }, [labels, series, theme]);
  const move = (event: KeyboardEvent) => {
    const next = nextPoint(event.key, point, labels.length);
    if (next === undefined) return;
    event.preventDefault();
    chart.current?.show(next);
    setPoint(next);
  };
  const shown = point === undefined ? undefined : labels[point];
  return (
    <div className="chart">
      <div
        ref={place}
        className="chart-plot"
        role="group"
        aria-roledescription="chart"
        aria-label={`${title}. The arrow keys read its values.`}
        aria-describedby={id}
        tabIndex={0}
        onKeyDown={move}
      />
      <p id={id} className="chart-reading" aria-live="polite">
        {shown === undefined || point === undefined ? (
          <span className="soft">
            {series.length > 0 && labels.length > 0 ? 'Point at the chart to read it, drag over it to select days' : ''}
          </span>
        ) : (
          <strong>{formatLabel(shown)}</strong>
        )}
        {series.map(({ name, values, format, isEarlier }, at) => (
          <span key={name} className={`series series-${isEarlier ? 'earlier' : at + 1}`}>
            {name}
            {point !== undefined && <b>{format(values[point] ?? null)}</b>}
          </span>
        ))}
      </p>
    </div>
  );
}

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

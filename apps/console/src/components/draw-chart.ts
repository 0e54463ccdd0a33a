import UPlot from 'uplot';

/** A line of a chart. */
export interface ChartSeries {
  readonly name: string;
  /** One for each label; null leaves a gap. */
  readonly values: readonly (number | null)[];
  readonly format: (value: number | null) => string;
  /** Counts: the axis has no parts of them. */
  readonly isWhole?: boolean;
  /** True of an earlier time, which is drawn with dashes. */
  readonly isEarlier?: boolean;
}

/** A point that is read, and where it is: pixels from the left of the element. */
export interface ReadPoint {
  readonly index: number;
  readonly left: number;
}

/** Points that something is said about: from the first to the last one, which may be the same. */
export interface ChartMark {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** The kind, as in the query type `annotations`: it decides the colour. */
  readonly kind: string;
}

/** A chart that is drawn. */
export interface Chart {
  /** Shows the values of a point, as the pointer does. */
  show(point: number): void;
  destroy(): void;
}

interface ChartEvents {
  readonly formatTick: (label: string) => string;
  /** The label that is not over yet, if there is one: what leads to it is drawn with dashes. */
  readonly current: number | undefined;
  /** Undefined when the pointer leaves. */
  readonly onPoint: (point: ReadPoint | undefined) => void;
  readonly onSelect: (from: string, to: string) => void;
  readonly isSelectable: boolean;
  readonly marks: readonly ChartMark[];
  /** Hears of a point that is clicked; dragging is no click. */
  readonly onPick: ((point: number) => void) | undefined;
}

const HEIGHT = 240;
const FONT = '12px system-ui, sans-serif';

/** Draws into an element, as wide as it is. */
export function drawChart(
  element: HTMLElement,
  labels: readonly string[],
  series: readonly ChartSeries[],
  events: ChartEvents,
): Chart {
  const colours = coloursOf(element);
  const points = labels.map((_, at) => at);
  const lines = series.flatMap((each, at) => linesOf(each, at, events.current));
  const plot = new UPlot(
    {
      width: Math.max(element.clientWidth, 1),
      height: HEIGHT,
      legend: { show: false },
      padding: [8, 24, 0, 0],
      cursor: { y: false, drag: { x: events.isSelectable, y: false, setScale: false } },
      scales: { x: { time: false, range: (_, from, to) => [from, Math.max(to, from + 1)] }, y: { range: fromZero } },
      series: [{}, ...lines.map((line) => drawn(line, colours))],
      axes: [labelAxis(labels, events, colours), valueAxis(series[0], colours)],
      hooks: {
        setCursor: [(plotted) => events.onPoint(pointRead(plotted))],
        setSelect: [(plotted) => select(plotted, labels, events)],
        draw: [(plotted) => drawMarks(plotted, events.marks, colours)],
        ready: [
          (plotted) =>
            plotted.over.addEventListener('click', ({ offsetX }) => events.onPick?.(plotted.posToIdx(offsetX))),
        ],
      },
    },
    [points, ...lines.map(({ values }) => values)],
    element,
  );
  const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(element.clientWidth, 1), height: HEIGHT }));
  observer.observe(element);
  return {
    show: (point) => plot.setCursor({ left: plot.valToPos(point, 'x'), top: 0 }),
    destroy: () => {
      observer.disconnect();
      plot.destroy();
    },
  };
}

interface Colours {
  readonly lines: readonly string[];
  readonly earlier: string;
  readonly text: string;
  readonly grid: string;
  readonly trouble: string;
}

const LINES = 4;

/** The tokens as colours of the present theme, which a canvas does not read from style sheets. */
function coloursOf(element: HTMLElement): Colours {
  const probe = element.appendChild(document.createElement('span'));
  const colour = (token: string) => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
  const lines = Array.from({ length: LINES }, (_, at) => colour(`series-${at + 1}`));
  const colours = {
    lines,
    earlier: colour('control-line'),
    text: colour('soft'),
    grid: colour('line'),
    trouble: colour('danger'),
  };
  probe.remove();
  return colours;
}

interface Line {
  readonly values: (number | null)[];
  /** The number of the series, from 0. */
  readonly at: number;
  readonly isEarlier: boolean;
  readonly isDashed: boolean;
}

/** A series in one line, or in two where its last part is not over. */
function linesOf({ values, isEarlier = false }: ChartSeries, at: number, current: number | undefined): Line[] {
  if (isEarlier || current === undefined) return [{ values: [...values], at, isEarlier, isDashed: isEarlier }];
  const over = values.map((value, place) => (place < current ? value : null));
  const part = values.map((value, place) => (place === current || place === current - 1 ? value : null));
  return [
    { values: over, at, isEarlier, isDashed: false },
    { values: part, at, isEarlier, isDashed: true },
  ];
}

function drawn({ values, at, isEarlier, isDashed }: Line, { lines, earlier }: Colours): UPlot.Series {
  const alone = values.flatMap((value, place) => (value !== null && isAlone(values, place) ? [place] : []));
  const stroke = isEarlier ? earlier : (lines[at] ?? earlier);
  return {
    stroke,
    width: isEarlier ? 1.5 : 2,
    points: { show: true, size: 6, fill: stroke, filter: () => alone },
    ...(isDashed ? { dash: [5, 4] } : {}),
    ...(at === 0 && !isEarlier ? { fill: stroke.replace('rgb(', 'rgba(').replace(')', ', 0.1)') } : {}),
  };
}

function pointRead(plot: UPlot): ReadPoint | undefined {
  const { idx: index } = plot.cursor;
  return index === null || index === undefined
    ? undefined
    : { index, left: plot.valToPos(index, 'x') + plot.over.offsetLeft };
}

/** A point that no line leads to would not be seen. */
const isAlone = (values: readonly (number | null)[], at: number): boolean =>
  (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;

const fromZero: UPlot.Range.Function = (_, _min, max) => [0, max > 0 ? max * 1.1 : 1];

const axis = ({ text, grid }: Colours): UPlot.Axis => ({
  stroke: text,
  font: FONT,
  grid: { stroke: grid, width: 1 },
  ticks: { show: false },
});

const labelAxis = (labels: readonly string[], { formatTick }: ChartEvents, colours: Colours): UPlot.Axis => ({
  ...axis(colours),
  grid: { show: false },
  size: 28,
  space: 80,
  incrs: [1, 2, 3, 6, 7, 12, 14, 24, 28, 48, 72, 168, 365, 1_000, 3_000],
  values: (_, splits) => splits.map((at) => (labels[at] === undefined ? '' : formatTick(labels[at]))),
});

/** Distances of an axis without fractions. */
const WHOLE = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

const valueAxis = (series: ChartSeries | undefined, colours: Colours): UPlot.Axis => ({
  ...axis(colours),
  size: 60,
  ...(series?.isWhole ? { incrs: WHOLE } : {}),
  values: (_, splits) => splits.map((value) => series?.format(value) ?? String(value)),
});

/** In pixels, of a dot. */
const MARK_RADIUS = 4;

/** Dots above the points that something is said about, as long as it lasted; trouble is above what else happened then. */
function drawMarks(
  plot: UPlot,
  marks: readonly ChartMark[],
  { earlier, lines: [deploy = earlier], trouble }: Colours,
): void {
  const { ctx, bbox } = plot;
  const radius = MARK_RADIUS * UPlot.pxRatio;
  ctx.save();
  for (const { from, to, kind } of marks.toSorted((one, other) => Number(isTrouble(one)) - Number(isTrouble(other)))) {
    ctx.fillStyle = isTrouble({ kind }) ? trouble : kind === 'deploy' ? deploy : earlier;
    const left = plot.valToPos(from, 'x', true);
    const right = plot.valToPos(to, 'x', true);
    ctx.beginPath();
    ctx.roundRect(left - radius, bbox.top, right - left + 2 * radius, 2 * radius, radius);
    ctx.fill();
  }
  ctx.restore();
}

const isTrouble = ({ kind }: Pick<ChartMark, 'kind'>): boolean => /down|opened|fired/.test(kind);

/** The labels below what the pointer selected, which is then selected no more. */
function select(plot: UPlot, labels: readonly string[], { onSelect }: ChartEvents): void {
  const { left, width } = plot.select;
  if (width === 0) return;
  const from = labels[Math.max(Math.round(plot.posToVal(left, 'x')), 0)];
  const to = labels[Math.min(Math.round(plot.posToVal(left + width, 'x')), labels.length - 1)];
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (from !== undefined && to !== undefined) onSelect(from, to);
}

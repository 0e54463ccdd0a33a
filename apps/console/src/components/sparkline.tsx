interface SparklineProps {
  /** Tells screen readers what it shows. */
  readonly label: string;
  /** From left to right. */
  readonly values: readonly number[];
}

const WIDTH = 100;
const HEIGHT = 24;

/** The course of a count without axes: how it goes up and down, from zero to the largest value. */
export function Sparkline({ label, values }: SparklineProps) {
  const largest = Math.max(...values, 1);
  const step = WIDTH / Math.max(values.length - 1, 1);
  const points = values.map(
    (value, at) => `${round(at * step)},${round(HEIGHT - 1 - (value / largest) * (HEIGHT - 2))}`,
  );
  const line = points.length === 1 ? [...points, `${WIDTH},${points[0]?.split(',')[1]}`] : points;
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polygon points={`0,${HEIGHT} ${line.join(' ')} ${WIDTH},${HEIGHT}`} />
      <polyline points={line.join(' ')} />
    </svg>
  );
}

const round = (value: number): number => Math.round(value * 10) / 10;

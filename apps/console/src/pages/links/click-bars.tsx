import type { RowOf } from '@ledgerline/client';

interface ClickBarsProps {
  readonly rows: readonly RowOf<'link_clicks_by_day'>[];
}

const WIDTH = 720;
const HEIGHT = 140;
/** Of the width of a day or hour. */
const BAR = 0.8;

/** The series as bars; pointing at one shows its number, and a table says all of them. */
export function ClickBars({ rows }: ClickBarsProps) {
  const most = Math.max(1, ...rows.map(({ clicks }) => clicks));
  const step = WIDTH / Math.max(1, rows.length);
  return (
    <figure className="bars panel">
      <p className="bars-most">{most.toLocaleString('en')}</p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {rows.map(({ date, clicks }, at) => (
          <g key={date}>
            <title>{`${date}: ${clicks.toLocaleString('en')}`}</title>
            <rect className="bars-hit" x={at * step} width={step} height={HEIGHT} />
            <rect
              x={(at + (1 - BAR) / 2) * step}
              y={HEIGHT * (1 - clicks / most)}
              width={step * BAR}
              height={(HEIGHT * clicks) / most}
            />
          </g>
        ))}
      </svg>
      <figcaption>
        <span>{rows[0]?.date}</span>
        <span>{rows.at(-1)?.date}</span>
      </figcaption>
      <Numbers rows={rows} />
    </figure>
  );
}

const Numbers = ({ rows }: ClickBarsProps) => (
  <details className="more">
    <summary>Clicks as a table</summary>
    <table className="numbers">
      <thead>
        <tr>
          <th scope="col">Day or hour</th>
          <th scope="col">Clicks</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ date, clicks }) => (
          <tr key={date}>
            <th scope="row">{date}</th>
            <td>{clicks.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);

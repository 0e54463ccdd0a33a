import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type * as World from 'world';
import { figuresQuery } from '../../../api/figures';
import { formatFigure } from '../format';
import { isSelected } from '../view/filter-fields';
import type { useView } from '../view/use-view';

/** More than there are countries. */
const COUNTRIES = 300;
/** Shades from few visitors to many. */
const SHADES = 5;

/** Countries by their visitors; a click selects one, as its row in the list below does, which keyboards and screen readers use. */
export function WorldMap({ view }: { readonly view: ReturnType<typeof useView> }) {
  const world = useWorld();
  const { data } = useQuery(figuresQuery(view.scope, { name: 'country', limit: COUNTRIES }));
  const [pointed, setPointed] = useState<string>();
  const rows = new Map((data?.rows ?? []).map((row) => [row.country_code, row]));
  const most = Math.max(...[...rows.values()].map(({ visitors }) => visitors), 1);
  const shown = pointed === undefined ? undefined : rows.get(pointed);
  const shadeOf = (visitors: number) => Math.max(Math.ceil((Math.sqrt(visitors) / Math.sqrt(most)) * SHADES), 1);
  const classOf = (code: string) => {
    const row = rows.get(code);
    if (!row) return 'shade-0';
    return `visited shade-${shadeOf(row.visitors)} ${isSelected(view.filters, 'country', row.name) ? 'selected' : ''}`;
  };
  return (
    <figure className="query-panel world">
      <div className="world-map">
        {world && (
          <svg
            viewBox={world.viewBox}
            role="img"
            aria-label="Map of visitors by country; the list below has the same figures"
            onPointerLeave={() => setPointed(undefined)}
          >
            {Object.entries(world.shapes).map(([code, outline]) => (
              <path
                key={code}
                d={outline}
                className={classOf(code)}
                onPointerEnter={() => setPointed(code)}
                onClick={() => {
                  const row = rows.get(code);
                  if (row) view.toggle('country', row.name);
                }}
              />
            ))}
          </svg>
        )}
      </div>
      <figcaption className="soft">
        {shown ? (
          <>
            <b>{shown.name}</b> {formatFigure('count', shown.visitors)} visitors ·{' '}
            {formatFigure('percent', shown.percentage)}
          </>
        ) : (
          'Click a country to filter by it'
        )}
      </figcaption>
    </figure>
  );
}

/** The outlines, which are loaded when the first map is shown; there is no map where they cannot be. */
function useWorld(): typeof World | undefined {
  const [world, setWorld] = useState<typeof World>();
  useEffect(() => {
    void import('world').then(setWorld, () => undefined);
  }, []);
  return world;
}

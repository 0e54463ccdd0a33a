import { Popover } from '../../../components/popover';
import { formatDays } from '../format';
import { Calendar } from './calendar';
import type { useView } from './use-view';
import { DEFAULT_PRESET, PRESETS } from './view-search';

/** The range of the page: a named one, or days of the calendar. */
export function RangePicker({ view }: { readonly view: ReturnType<typeof useView> }) {
  const { preset = DEFAULT_PRESET, from, to } = view.search;
  const isCustom = from !== undefined && to !== undefined;
  const choose = (parts: Parameters<typeof view.select>[0]) =>
    view.select({ preset: undefined, from: undefined, to: undefined, ...parts });
  const name = PRESETS.find(([each]) => each === preset)?.[1];
  return (
    <Popover shown={<>{isCustom ? formatDays(from, to) : name} ▾</>} label="Range">
      {(close) => (
        <div className="range">
          <ul className="presets">
            {PRESETS.map(([each, text]) => (
              <li key={each}>
                <button
                  type="button"
                  aria-pressed={!isCustom && each === preset}
                  onClick={() => {
                    choose(each === DEFAULT_PRESET ? {} : { preset: each });
                    close();
                  }}
                >
                  {text}
                </button>
              </li>
            ))}
          </ul>
          <Calendar
            from={from}
            to={to}
            onChoose={(first, last) => {
              choose({ from: first, to: last });
              close();
            }}
          />
        </div>
      )}
    </Popover>
  );
}

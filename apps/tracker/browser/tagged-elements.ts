import { listen } from './guarded';

type Report = (name: string, properties: Readonly<Record<string, string | undefined>>) => void;

/** Elements with `data-event`, when they are clicked, and forms with it, when they are sent. */
export function onTaggedElement(report: Report): void {
  const look = (event: Event) => {
    const isTagged = (target: EventTarget): target is HTMLElement => {
      const { dataset, localName } = target as Partial<HTMLElement>;
      return Boolean(dataset?.event) && (localName === 'form') === (event.type === 'submit');
    };
    const found = event.composedPath().find(isTagged);
    if (found) report(found.dataset.event ?? '', propertiesOf(found.dataset));
  };
  for (const name of ['click', 'submit'] as const) listen(name, look, { capture: true });
}

/** `data-event-plan-name="team"` is a property: planName = team. */
const propertiesOf = (dataset: DOMStringMap) =>
  Object.fromEntries(
    Object.entries(dataset).flatMap(([key, value]) => {
      const [, first, rest = ''] = /^event([A-Z])(.*)/.exec(key) ?? [];
      return first ? [[first.toLowerCase() + rest, value]] : [];
    }),
  );

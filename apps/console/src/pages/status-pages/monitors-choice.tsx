import type { MonitorDto } from '@ledgerline/client';
import { readableAddress } from '../../addresses/readable-address';
import { Button } from '../../components/button';
import { Checkbox, FieldGroup } from '../../components/choices';

interface MonitorsChoiceProps {
  readonly legend: string;
  readonly monitors: readonly MonitorDto[];
  /** Ids, in the order in which they are shown. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** Whether their order counts. */
  readonly isOrdered?: boolean;
}

/** Some of the monitors; those that are chosen come first. */
export function MonitorsChoice({ legend, monitors, chosen, onChange, isOrdered = false }: MonitorsChoiceProps) {
  const first = chosen.flatMap((id) => monitors.find((monitor) => monitor.id === id) ?? []);
  const rest = monitors.filter(({ id }) => !chosen.includes(id));
  const moveUp = (at: number) => onChange(chosen.toSpliced(at - 1, 2, ...chosen.slice(at - 1, at + 1).toReversed()));
  const toggle = (id: string) => onChange(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  return (
    <FieldGroup className="group" legend={legend} field="monitorIds">
      {monitors.length === 0 && <p className="hint">There are no monitors yet.</p>}
      {[...first, ...rest].map(({ id, name, url }) => {
        const at = chosen.indexOf(id);
        return (
          <div key={id} className="chosen-monitor">
            <Checkbox label={name} hint={readableAddress(url)} checked={at >= 0} onChange={() => toggle(id)} />
            {isOrdered && at > 0 && (
              <Button variant="quiet" aria-label={`Move ${name} up`} onClick={() => moveUp(at)}>
                Move up
              </Button>
            )}
          </div>
        );
      })}
    </FieldGroup>
  );
}

import type { ReactNode } from 'react';
import { Host } from '../../../addresses/address';
import { Mark } from '../../../marks/mark';
import type { AnyRow } from '../lists/cell';

const TEXTS = [
  ['profile_id', 'Profile'],
  ['country', 'Country'],
  ['region', 'Region'],
  ['referrer', 'Referrer'],
  ['device_type', 'Device'],
  ['browser_name', 'Browser'],
  ['os_name', 'System'],
] as const;

interface VisitFactsProps {
  /** Of a visitor or a session. */
  readonly row: AnyRow;
  /** Before what the row says of them. */
  readonly first?: readonly (readonly [name: string, value: ReactNode])[];
  readonly last: readonly (readonly [name: string, value: ReactNode])[];
}

/** Where somebody came from, and with what. */
export const VisitFacts = ({ row, first = [], last }: VisitFactsProps) => (
  <dl className="view-facts wide">
    {[...first, ...textsOf(row), ...last].map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

const textsOf = (row: AnyRow) =>
  TEXTS.flatMap(([field, name]) => {
    const value = row[field];
    if (typeof value !== 'string' || value === '') return [];
    const shown = (
      <span className="marked">
        <Mark field={field} value={value} />
        {field === 'referrer' ? <Host raw={value} /> : value}
      </span>
    );
    return [[name, shown] as const];
  });

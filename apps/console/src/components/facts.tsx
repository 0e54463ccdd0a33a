import type { ReactNode } from 'react';

interface FactsProps {
  /** What it is, and its value; those without one are left out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}

/** Names with their values, one below the other. */
export const Facts = ({ facts }: FactsProps) => (
  <dl className="facts">
    {facts
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

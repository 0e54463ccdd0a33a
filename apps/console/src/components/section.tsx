import { useId, type ReactNode } from 'react';

interface SectionProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons that act on it. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Section({ title, description, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section className="section" aria-labelledby={id}>
      <header>
        <div>
          <h2 id={id}>{title}</h2>
          {description !== undefined && <p className="soft">{description}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

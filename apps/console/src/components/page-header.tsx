import type { ReactNode } from 'react';

interface PageHeaderProps {
  /** The only heading of the first level; also the title of the window. */
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons that act on the whole page. */
  readonly actions?: ReactNode;
}

export const PageHeader = ({ title, description, actions }: PageHeaderProps) => (
  <header className="page-header">
    <title>{`${title} · Ledgerline`}</title>
    <div>
      <h1>{title}</h1>
      {description !== undefined && <p className="soft">{description}</p>}
    </div>
    {actions !== undefined && <div className="actions">{actions}</div>}
  </header>
);

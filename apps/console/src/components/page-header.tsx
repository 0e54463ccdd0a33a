import type { ReactNode } from 'react';
import { useTitle } from './use-title';

interface PageHeaderProps {
  /** The only heading of the first level; also the title of the window. */
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons that act on the whole page. */
  readonly actions?: ReactNode;
}

export function PageHeader({ title, description, actions }: PageHeaderProps) {
  useTitle(title);
  return (
    <header className="page-header">
      <div>
        <h1>{title}</h1>
        {description !== undefined && <p className="soft">{description}</p>}
      </div>
      {actions !== undefined && <div className="actions">{actions}</div>}
    </header>
  );
}

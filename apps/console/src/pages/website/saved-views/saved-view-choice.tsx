import { lazy } from 'react';
import { ViewChoice, type MenuProps } from '../view/choice';

const SavedViewMenu = lazy(async () => ({ default: (await import('./saved-view.menu')).SavedViewMenu }));

/** The ranges, filters and comparisons that have a name. */
export const SavedViewChoice = ({ view }: Pick<MenuProps, 'view'>) => (
  <ViewChoice view={view} label="Saved views" shown="Views" menu={SavedViewMenu} />
);

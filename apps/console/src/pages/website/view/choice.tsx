import { Suspense, type ComponentType } from 'react';
import { Popover } from '../../../components/overlays';
import { Skeleton } from '../../../components/states';
import type { useView } from './use-view';

export interface MenuProps {
  readonly view: ReturnType<typeof useView>;
  readonly onChosen: () => void;
}

interface ChoiceProps {
  readonly view: MenuProps['view'];
  readonly label: string;
  /** The text of the button. */
  readonly shown: string;
  /** Loaded when it is first opened. */
  readonly menu: ComponentType<MenuProps>;
}

/** Shows what the figures of a page are about, to be chosen from a menu. */
export const ViewChoice = ({ view, label, shown, menu: Menu }: ChoiceProps) => (
  <Popover shown={`${shown} ▾`} label={label}>
    {(close) => (
      <Suspense fallback={<Skeleton lines={4} label={label} />}>
        <Menu view={view} onChosen={close} />
      </Suspense>
    )}
  </Popover>
);

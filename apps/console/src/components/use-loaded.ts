import { useState } from 'react';
import { notify } from './toasts';

/** A module that is not part of the page's first load, and the function that loads it; `load` is a dynamic import. */
export function useLoaded<Module extends object>(load: () => Promise<Module>): [Module | undefined, () => void] {
  const [loaded, setLoaded] = useState<Module>();
  const start = () =>
    void load().then(
      (module) => setLoaded(module),
      () => notify('A part of this page cannot be loaded; reload the page'),
    );
  return [loaded, start];
}

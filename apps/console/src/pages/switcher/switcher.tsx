import { Search } from 'lucide';
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { Icon } from '../../components/button';
import { notify } from '../../components/toasts';

const NOTHING: { readonly default: (props: { readonly onClose: () => void }) => ReactNode } = { default: () => null };

/** Loaded when it is first opened. */
const SwitcherDialog = lazy(() =>
  import('./switcher-dialog').then(
    (module): typeof NOTHING => ({ default: module.SwitcherDialog }),
    () => {
      notify('A part of this page cannot be loaded; reload the page');
      return NOTHING;
    },
  ),
);

/** Leads to every website, link and page by a few letters: opened by a button, or Ctrl K (⌘ K). */
export function Switcher() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const toggle = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    document.addEventListener('keydown', toggle);
    return () => document.removeEventListener('keydown', toggle);
  }, []);
  return (
    <>
      <button
        type="button"
        className="button switcher-button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        <Icon of={Search} />
        <span className="switcher-text">Go to …</span>
        <kbd aria-hidden="true">{IS_APPLE ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <SwitcherDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);

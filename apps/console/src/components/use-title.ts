import { useEffect } from 'react';

/** Sets the title of the window. */
export const useTitle = (title: string) =>
  useEffect(() => {
    document.title = `${title} · Ledgerline`;
  }, [title]);

import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { keepFocus } from './components/kept-focus';
import { Toasts } from './components/toasts';
import { queryClient, router } from './router';

const root = document.querySelector<HTMLElement>('#console');
if (!root) throw new Error('The page has no element #console');

keepFocus(root);
createRoot(root).render(
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
    <Toasts />
  </QueryClientProvider>,
);

/** A page with the published client: what each flag is for a visitor, and a button for each thing that a page may do. */
import { FlagsProvider, useFlags } from '@databuddy/sdk/react';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

const { config, keys } = window.page;

function Flags() {
  const { getFlag, getValue, refresh, updateUser, isReady } = useFlags();
  const flags = keys.map((key) => [key, { ...getFlag(key), value: getValue(key) }]);
  const button = (id, onClick) => createElement('button', { id, onClick }, id);
  return createElement(
    'main',
    null,
    createElement('pre', { id: 'flags' }, JSON.stringify({ isReady, ...Object.fromEntries(flags) })),
    button('refresh', () => refresh()),
    button('sign-in', () => updateUser({ userId: 'u1', properties: { plan: 'team' } })),
  );
}

createRoot(document.getElementById('root')).render(createElement(FlagsProvider, config, createElement(Flags)));

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Tagged template for HTML: every value is escaped, only other `html` is spliced in. */
export function html(strings: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  return new Html(strings.reduce((text, string, at) => text + render(values[at - 1] ?? '') + string));
}

/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

function render(value: string | Html | readonly Html[]): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  return value.map(render).join('');
}

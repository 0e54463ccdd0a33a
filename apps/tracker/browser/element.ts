/** An element as a short selector, without any text a visitor has entered. */
export function describe(target: EventTarget | null): string {
  if (!(target instanceof Element)) return 'document';
  const [firstClass] = target.classList;
  const id = target.id ? `#${target.id}` : firstClass ? `.${firstClass}` : '';
  return `${target.tagName.toLowerCase()}${id}`.slice(0, 200);
}

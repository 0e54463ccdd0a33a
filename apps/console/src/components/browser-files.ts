/** Has the browser save a text of a media type as a file. */
export function saveFile(name: string, text: string, type: string): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(new Blob([text], { type }));
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href));
}

/** Puts a text on the clipboard. Rejects over http at another host, too, where browsers have none for scripts. */
export const copyText = async (text: string): Promise<void> => navigator.clipboard.writeText(text);

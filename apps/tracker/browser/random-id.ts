/** 128 random bits as hex. `crypto.randomUUID` exists only on secure origins. */
export function randomId(): string {
  let id = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) id += byte.toString(16).padStart(2, '0');
  return id;
}

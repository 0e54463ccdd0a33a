import type { FastifyReply } from 'fastify';
import { toBuffer, toString } from 'qrcode';

export type QrFormat = 'svg' | 'png';

const SIDE_PIXELS = 512;

/** `abc.svg` is the QR code of `abc`. */
export function splitQrName(name: string): { readonly slug: string; readonly format: QrFormat | null } {
  if (name.endsWith('.svg')) return { slug: name.slice(0, -4), format: 'svg' };
  if (name.endsWith('.png')) return { slug: name.slice(0, -4), format: 'png' };
  return { slug: name, format: null };
}

/** Sends the code of an address as an image. */
export async function sendQrCode(address: string, format: QrFormat, reply: FastifyReply): Promise<void> {
  const headers = { 'cache-control': 'public, max-age=3600' };
  if (format === 'svg') {
    const image = await toString(address, { type: 'svg', margin: 2 });
    void reply.headers(headers).type('image/svg+xml').send(image);
  } else {
    const image = await toBuffer(address, { type: 'png', margin: 2, width: SIDE_PIXELS });
    void reply.headers(headers).type('image/png').send(image);
  }
}

import { create } from 'qrcode';

/** The light border that readers need, in modules. */
const MARGIN = 2;

/** Drawn here, as the page loads nothing from the tracking host; dark on light in both themes. */
export function QrCode({ text }: { readonly text: string }) {
  const { size, data } = create(text).modules;
  const side = size + 2 * MARGIN;
  const path = [...data].map((dark, at) => (dark ? `M${at % size} ${Math.floor(at / size)}h1v1h-1z` : '')).join('');
  return (
    <svg
      className="qr"
      viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`}
      role="img"
      aria-label={`QR code of ${text}`}
      shapeRendering="crispEdges"
    >
      <rect x={-MARGIN} y={-MARGIN} width={side} height={side} />
      <path d={path} />
    </svg>
  );
}

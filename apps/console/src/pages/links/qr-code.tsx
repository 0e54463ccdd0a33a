import { create } from 'qrcode';
import { useState } from 'react';
import { Button, saveFile } from '../../components/button';
import { Input } from '../../components/field';
import { notify } from '../../components/toasts';

/** The light border that readers need, in modules. */
const MARGIN = 2;
const BLACK = '#000000';

interface Drawing {
  /** In modules, with the border. */
  readonly side: number;
  /** The dark modules, from the corner inside of the border. */
  readonly path: string;
}

function drawingOf(text: string): Drawing {
  const { size, data } = create(text).modules;
  const path = [...data].map((dark, at) => (dark ? `M${at % size} ${Math.floor(at / size)}h1v1h-1z` : '')).join('');
  return { side: size + 2 * MARGIN, path };
}

interface QrCodeProps {
  readonly text: string;
  /** `#rrggbb`. */
  readonly colour?: string;
}

/** Drawn here, as the page loads nothing from the tracking host; dark on light in both themes. */
export function QrCode({ text, colour = BLACK }: QrCodeProps) {
  const { side, path } = drawingOf(text);
  return (
    <svg
      className="qr"
      viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`}
      role="img"
      aria-label={`QR code of ${text}`}
      shapeRendering="crispEdges"
    >
      <rect x={-MARGIN} y={-MARGIN} width={side} height={side} />
      <path d={path} fill={colour} />
    </svg>
  );
}

interface QrDownloadProps {
  readonly text: string;
  /** The name of the file, without its ending. */
  readonly name: string;
}

/** A QR code in a colour, and as a file. */
export function QrDownload({ text, name }: QrDownloadProps) {
  const [colour, setColour] = useState(BLACK);
  return (
    <>
      <QrCode text={text} colour={colour} />
      <Input
        label="Colour of the QR code"
        type="color"
        value={colour}
        onChange={({ target }) => setColour(target.value)}
        hint={isReadable(colour) ? undefined : 'Too light for many cameras: choose a darker one.'}
      />
      <p className="actions">
        <Button onClick={() => saveFile(`${name}.svg`, svgOf(text, colour), 'image/svg+xml')}>Save as SVG</Button>
        <Button onClick={() => void savePng(`${name}.png`, text, colour)}>Save as PNG</Button>
      </p>
    </>
  );
}

function svgOf(text: string, colour: string): string {
  const { side, path } = drawingOf(text);
  const box = `${-MARGIN} ${-MARGIN} ${side} ${side}`;
  const paper = `<rect x="${-MARGIN}" y="${-MARGIN}" width="${side}" height="${side}" fill="#fff"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" shape-rendering="crispEdges">${paper}<path d="${path}" fill="${colour}"/></svg>`;
}

/** In pixels, about. */
const PNG_SIDE = 1_024;

async function savePng(name: string, text: string, colour: string): Promise<void> {
  const { side, path } = drawingOf(text);
  const scale = Math.ceil(PNG_SIDE / side); // whole, so that modules have sharp edges
  const canvas = new OffscreenCanvas(side * scale, side * scale);
  const context = canvas.getContext('2d');
  if (!context) {
    notify('The browser does not draw pictures; save it as SVG instead');
    return;
  }
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale, 0, 0, scale, MARGIN * scale, MARGIN * scale);
  context.fillStyle = colour;
  context.fill(new Path2D(path));
  saveFile(name, await canvas.convertToBlob(), 'image/png');
}

/** The contrast with white that graphics need (WCAG 1.4.11). */
const CONTRAST = 3;

function isReadable(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) >= CONTRAST;
}

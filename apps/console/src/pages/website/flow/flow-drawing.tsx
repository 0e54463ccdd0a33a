import type { RowOf } from '@ledgerline/client';
import { useMemo, useState, type KeyboardEvent } from 'react';
import { readablePath } from '../../../addresses/readable-address';
import { Table } from '../../../components/table';
import { formatFigure } from '../format';
import { placeNodes, type PlacedNode } from './flow-layout';

type Node = RowOf<'journeys'>;

interface FlowDrawingProps {
  readonly nodes: readonly Node[];
  /** The page or event where they begin. */
  readonly start: string;
  readonly direction: 'from' | 'to';
  /** Draws the journeys of another page or event. */
  readonly onOpen: (name: string) => void;
}

/** In pixels: of a column of few boxes, of one of many, and the least of a box of average size in it. */
const HEIGHT = { least: 420, most: 720, box: 22 };
/** Boxes with less have no text: it is read below the drawing. */
const LEAST_TEXT = 15;
/** Boxes that would not be seen. */
const LEAST_DRAWN = 1;

const REST = 'Other';
/** It is drawn below its siblings. */
const isRest = ({ path }: Node) => Number(path.at(-1) === REST);

/** Of all sessions: what is summed up is drawn no higher, so that what has a name can be read. */
const MOST_REST = 0.02;

const percent = (share: number) => `${share * 100}%`;

/** A column of boxes for each step, as high as their share; the pointer and the arrow keys read what a box is. */
export function FlowDrawing({ nodes, start, direction, onOpen }: FlowDrawingProps) {
  const placed = useMemo(() => {
    const most = MOST_REST * Math.max(...nodes.map(({ sessions }) => sessions));
    const sorted = nodes.toSorted((a, b) => a.depth - b.depth || isRest(a) - isRest(b));
    return placeNodes(sorted, (node) => (isRest(node) ? Math.min(node.sessions, most) : node.sessions));
  }, [nodes]);
  const columns = Math.max(...nodes.map(({ depth }) => depth)) + 1;
  const height = heightOf(placed);
  const drawn = placed.filter((each) => each.height * height >= LEAST_DRAWN);
  const [read, setRead] = useState(0);
  const shown = drawn[read] ?? drawn[0];
  const open = ({ node }: PlacedNode<Node>) => node.depth > 0 && !isRest(node) && onOpen(node.path.at(-1) ?? '');
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && shown) open(shown);
    const next = nextRead(drawn, read, direction === 'from' ? event.key : (MIRRORED[event.key] ?? event.key));
    if (next === undefined) return;
    event.preventDefault();
    setRead(next);
  };
  return (
    <>
      <div
        className="flow"
        role="group"
        aria-roledescription="chart"
        aria-label="Journeys. The arrow keys read them, Enter opens one; they are in the table, too."
        tabIndex={0}
        onKeyDown={press}
      >
        <ol className="flow-columns" aria-hidden="true">
          {Array.from({ length: columns }, (_, at) => (
            <li key={at}>{headingOf(direction === 'from' ? at : columns - 1 - at, direction)}</li>
          ))}
        </ol>
        <div className="flow-tree" style={{ height: `${height}px` }} aria-hidden="true">
          {drawn.map((each, at) => (
            <Box
              key={`${each.node.path.join('\n')} ${at}`}
              {...{ placed: each, columns, direction }}
              hasText={each.height * height >= LEAST_TEXT}
              isRead={at === read}
              name={nameOf(each.node, start)}
              onRead={() => setRead(at)}
              onOpen={() => open(each)}
            />
          ))}
        </div>
      </div>
      <p className="flow-reading" aria-live="polite">
        {shown && <Reading node={shown.node} start={start} direction={direction} />}
      </p>
      <details className="chart-table">
        <summary>Show as table</summary>
        <Journeys {...{ nodes, start, direction }} />
      </details>
    </>
  );
}

/** As high as its fullest column needs for names, within limits. */
function heightOf(placed: readonly PlacedNode<Node>[]): number {
  const counts = [...Map.groupBy(placed, ({ node }) => node.depth).values()].map(({ length }) => length);
  return Math.min(Math.max(HEIGHT.least, HEIGHT.box * Math.max(...counts)), HEIGHT.most);
}

const headingOf = (depth: number, direction: 'from' | 'to'): string =>
  depth === 0 ? 'Start' : `${depth} ${depth === 1 ? 'step' : 'steps'} ${direction === 'from' ? 'later' : 'before'}`;

const nameOf = ({ path }: Node, start: string): string => readablePath(path.at(-1) ?? start);

const sizeOf = ({ sessions, percentage }: Node): string =>
  `${formatFigure('count', sessions)} · ${formatFigure('percent', percentage)}`;

interface BoxProps {
  readonly placed: PlacedNode<Node>;
  readonly columns: number;
  readonly direction: 'from' | 'to';
  readonly name: string;
  readonly hasText: boolean;
  readonly isRead: boolean;
  readonly onRead: () => void;
  readonly onOpen: () => void;
}

function Box({ placed, columns, direction, name, hasText, isRead, onRead, onOpen }: BoxProps) {
  const { node, top, height } = placed;
  const place = direction === 'from' ? node.depth : columns - 1 - node.depth;
  const classes = ['flow-node', isRead ? 'read' : '', node.depth > 0 ? 'follows' : '', isRest(node) ? 'rest' : ''];
  return (
    <div
      className={[...classes, direction].filter(Boolean).join(' ')}
      style={{
        left: percent(place / columns),
        width: percent(1 / columns),
        top: percent(top),
        height: percent(height),
      }}
      onPointerEnter={onRead}
      onClick={onOpen}
    >
      <div>
        {hasText && (
          <>
            <span>{name}</span>
            <span>{formatFigure('percent', node.percentage)}</span>
          </>
        )}
      </div>
    </div>
  );
}

/** Where a key leads, in the order of what is drawn: along a column, or to the parent or first branch of a node. */
function nextRead(drawn: readonly PlacedNode<Node>[], read: number, key: string): number | undefined {
  const node = drawn[read]?.node;
  if (!node) return undefined;
  const isAt = (at: number) => (drawn[at]?.node.depth === node.depth ? at : undefined);
  const found = (path: readonly string[], length: number) => {
    const wanted = JSON.stringify(path);
    return drawn.findIndex(
      (each) => each.node.path.length === length && JSON.stringify(each.node.path.slice(0, path.length)) === wanted,
    );
  };
  const known = (at: number) => (at < 0 ? undefined : at);
  switch (key) {
    case 'ArrowUp':
      return isAt(read - 1) ?? read;
    case 'ArrowDown':
      return isAt(read + 1) ?? read;
    case 'ArrowLeft':
      return known(found(node.path.slice(0, -1), Math.max(node.depth - 1, 0)));
    case 'ArrowRight':
      return known(found(node.path, node.depth + 1)) ?? read;
    default:
      return undefined;
  }
}

/** The keys of a drawing that leads to its beginning, from left to right. */
const MIRRORED: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' };

/** The way to a box, and how many go it. */
function Reading({ node, start, direction }: Pick<FlowDrawingProps, 'start' | 'direction'> & { readonly node: Node }) {
  const [arrow, end] = direction === 'from' ? [' → ', 'end'] : [' ← ', 'begin'];
  return (
    <>
      <b>{[start, ...node.path].map(readablePath).join(arrow)}</b> <span>{sizeOf(node)}</span>{' '}
      {node.ended > 0 && (
        <span className="soft">
          {formatFigure('count', node.ended)} {end} here
        </span>
      )}
    </>
  );
}

const Journeys = ({ nodes, start, direction }: Pick<FlowDrawingProps, 'nodes' | 'start' | 'direction'>) => (
  <Table
    caption="Journeys, as a table"
    columns={[
      {
        header: direction === 'from' ? 'Journey' : 'Journey, backwards',
        cell: ({ path }) => [start, ...path].map(readablePath).join(direction === 'from' ? ' → ' : ' ← '),
      },
      { header: 'Sessions', isNumber: true, cell: ({ sessions }) => formatFigure('count', sessions) },
      { header: 'Of all', isNumber: true, cell: ({ percentage }) => formatFigure('percent', percentage) },
      {
        header: direction === 'from' ? 'End there' : 'Begin there',
        isNumber: true,
        cell: ({ ended }) => formatFigure('count', ended),
      },
    ]}
    rows={nodes}
    keyOf={({ path, sessions }) => `${path.join('\n')} ${sessions}`}
  />
);

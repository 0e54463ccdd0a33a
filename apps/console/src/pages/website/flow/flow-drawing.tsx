import { useMemo, useState, type KeyboardEvent } from 'react';
import type { RowOf } from '@ledgerline/client';
import { readablePath } from '../../../addresses/readable-address';
import { Button } from '../../../components/button';
import { Table } from '../../../components/table';
import { formatFigure } from '../format';
import { HEIGHT, placeBoxes, type Placed } from './flow-layout';

type Node = RowOf<'journeys'>;

interface FlowDrawingProps {
  readonly nodes: readonly Node[];
  /** The page or event where they begin. */
  readonly start: string;
  readonly direction: 'from' | 'to';
  /** Draws the journeys of another page or event. */
  readonly onOpen: (name: string) => void;
}

/** The branches of the node that is chosen in the column before, one of which is chosen. */
interface Column {
  readonly branches: readonly (Placed & { readonly node: Node })[];
  readonly chosen: Node;
}

const REST = 'Other';
/** It is drawn below its siblings. */
const isRest = ({ path }: Node) => path.at(-1) === REST;

/**
 * A column of boxes for each step, as high as their share: of the branches of the box that is chosen in the column
 * before. A click or the arrow keys choose another box, whose branches follow then.
 */
export function FlowDrawing({ nodes, start, direction, onOpen }: FlowDrawingProps) {
  const [chosen, setRead] = useState<Node>();
  const read = chosen && nodes.includes(chosen) ? chosen : nodes.find(({ depth }) => depth === 0);
  const branches = useMemo(() => Map.groupBy(nodes, ({ path }) => JSON.stringify(path.slice(0, -1))), [nodes]);
  const columns = useMemo(() => columnsOf(branches, read), [branches, read]);
  const open = read && read.depth > 0 && !isRest(read) ? () => onOpen(read.path.at(-1) ?? '') : undefined;
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') open?.();
    const next = nextRead(columns, read, direction === 'from' ? event.key : (MIRRORED[event.key] ?? event.key));
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
        aria-label="Journeys. The arrow keys read them, Enter starts with one; they are in the table, too."
        tabIndex={0}
        onKeyDown={press}
      >
        <div className={`flow-columns ${direction}`} aria-hidden="true">
          {columns.map(({ branches: shown, chosen: followed }, depth) => (
            <div key={depth}>
              <p>{headingOf(depth, direction)}</p>
              <div className="flow-column" style={{ height: `${HEIGHT}px` }}>
                {shown.map(({ node, top, height }) => (
                  <div
                    key={`${node.path.join('\n')} ${top}`}
                    className={['flow-node', ...stateOf(node, followed, read)].join(' ')}
                    style={{ top: `${top}px`, height: `${height}px` }}
                    title={`${nameOf(node, start)}: ${sizeOf(node)}`}
                    onClick={() => setRead(node)}
                  >
                    <span>{nameOf(node, start)}</span>
                    <span>{formatFigure('percent', node.percentage)}</span>
                  </div>
                ))}
                {columns[depth + 1] && <Band {...shown.find(({ node }) => node === followed)} />}
              </div>
            </div>
          ))}
        </div>
      </div>
      <div className="section-head flow-reading">
        <p aria-live="polite">{read && <Reading node={read} start={start} direction={direction} />}</p>
        {open && <Button onClick={open}>Start here</Button>}
      </div>
      <details className="chart-table">
        <summary>Show as table</summary>
        <Journeys nodes={nodes} start={start} direction={direction} />
      </details>
    </>
  );
}

/** From the beginning to the last step: by the node that is read, and then by the most frequent branches. */
function columnsOf(all: ReadonlyMap<string, readonly Node[]>, read: Node | undefined): readonly Column[] {
  const columns: Column[] = [];
  const branchesOf = (path: readonly string[], depth: number) =>
    (all.get(JSON.stringify(path)) ?? []).filter((node) => node.depth === depth);
  let shown = branchesOf([], 0);
  while (shown[0]) {
    const { depth, sessions: most } = shown[0];
    const isOnWay = (node: Node) => node.path[depth - 1] === read?.path[depth - 1];
    const chosen = shown.find((node) => node === read) ?? shown.find(isOnWay) ?? shown[0];
    const places = placeBoxes(shown.map((node) => (isRest(node) ? Math.min(node.sessions, most) : node.sessions)));
    const branches = shown.flatMap((node, at) => (places[at] ? [{ node, ...places[at] }] : []));
    columns.push({ branches, chosen });
    const next = isRest(chosen) ? [] : branchesOf(chosen.path, depth + 1);
    shown = next.toSorted((a, b) => Number(isRest(a)) - Number(isRest(b)));
  }
  return columns;
}

/** From a box to the column of its branches. */
const Band = ({ top = 0, height = 0 }: Partial<Placed>) => (
  <div className="flow-band" style={{ clipPath: `polygon(0 ${top}px, 100% 0, 100% 100%, 0 ${top + height}px)` }} />
);

const stateOf = (node: Node, chosen: Node, read: Node | undefined): readonly string[] => [
  ...(node.depth > 0 ? ['follows'] : []),
  ...(isRest(node) ? ['rest'] : []),
  ...(node === chosen ? ['chosen'] : []),
  ...(node === read ? ['read'] : []),
];

const headingOf = (depth: number, direction: 'from' | 'to'): string =>
  depth === 0 ? 'Start' : `${depth} ${depth === 1 ? 'step' : 'steps'} ${direction === 'from' ? 'later' : 'before'}`;

const nameOf = ({ path }: Node, start: string): string => readablePath(path.at(-1) ?? start);

const sizeOf = ({ sessions, percentage }: Node): string =>
  `${formatFigure('count', sessions)} · ${formatFigure('percent', percentage)}`;

/** Where a key leads: along a column, to the box before, or to the most frequent branch. */
function nextRead(columns: readonly Column[], read: Node | undefined, key: string): Node | undefined {
  if (!read) return undefined;
  const { branches } = columns[read.depth] ?? { branches: [] };
  const at = branches.findIndex(({ node }) => node === read);
  const neighbours = new Map([
    ['ArrowUp', branches[at - 1]?.node],
    ['ArrowDown', branches[at + 1]?.node],
    ['ArrowLeft', columns[read.depth - 1]?.chosen],
    ['ArrowRight', columns[read.depth + 1]?.chosen],
  ]);
  return neighbours.has(key) ? (neighbours.get(key) ?? read) : undefined;
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

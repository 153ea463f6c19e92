// Squarified treemap layout: divides a rectangle into parts of given areas that are close to squares.

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns a rectangle for each size, in order. Sizes must be positive and descending. */
export function squarify(sizes: number[], within: Rectangle): Rectangle[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= 0 || within.width <= 0 || within.height <= 0) {
    return sizes.map(() => ({ ...within, width: 0, height: 0 }));
  }
  const scale = (within.width * within.height) / total;
  const areas = sizes.map((size) => size * scale);
  const placed: Rectangle[] = [];
  let left = { ...within };
  let start = 0;
  while (start < areas.length) {
    const side = Math.min(left.width, left.height);
    let end = start + 1;
    while (end < areas.length && isBetter(areas.slice(start, end), areas[end] ?? 0, side)) end += 1;
    left = placeRow(areas.slice(start, end), left, placed);
    start = end;
  }
  return placed;
}

/** Returns whether adding `next` keeps the row at least as square. */
function isBetter(row: number[], next: number, side: number): boolean {
  return worst([...row, next], side) <= worst(row, side);
}

function worst(row: number[], side: number): number {
  const sum = row.reduce((total, area) => total + area, 0);
  const thickness = sum / side;
  const ratios = row.map((area) => {
    const length = area / thickness;
    return Math.max(length / thickness, thickness / length);
  });
  return Math.max(...ratios);
}

/** Places a row along the shorter side, and returns the remaining rectangle. */
function placeRow(row: number[], left: Rectangle, placed: Rectangle[]): Rectangle {
  const sum = row.reduce((total, area) => total + area, 0);
  const isWide = left.width >= left.height;
  const thickness = sum / (isWide ? left.height : left.width);
  let along = isWide ? left.y : left.x;
  for (const area of row) {
    const length = area / thickness;
    placed.push(
      isWide
        ? { x: left.x, y: along, width: thickness, height: length }
        : { x: along, y: left.y, width: length, height: thickness },
    );
    along += length;
  }
  return isWide
    ? { ...left, x: left.x + thickness, width: Math.max(0, left.width - thickness) }
    : { ...left, y: left.y + thickness, height: Math.max(0, left.height - thickness) };
}

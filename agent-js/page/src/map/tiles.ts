/**
 * A picture in tiles. Each step describes the whole picture, and only the tiles that changed are drawn again: without a graphics
 * card, a browser takes longest for drawing, and most units rest.
 */

type Value = number | string;
type Draw<A extends readonly Value[]> = (canvas: CanvasRenderingContext2D, ...given: A) => void;

/** A part of the picture, such as a unit's body. */
export interface Part {
  readonly draw: Draw<Value[]>;
  readonly given: readonly Value[];
  readonly sum: number;
  /** The first and last column and row of its tiles. */
  readonly x0: number;
  readonly x1: number;
  readonly y0: number;
  readonly y1: number;
}

/** In pixels of the screen. */
const TILE_PX = 8;
const PRIME = 0x01000193;
const number = new Float64Array(1);
const halves = new Int32Array(number.buffer);

export class Tiles {
  #parts: Part[] = [];
  /** For each tile: a checksum of its parts, the checksum of what the canvas shows, and whether it must be drawn again. */
  #sums = new Int32Array();
  #shown = new Int32Array();
  #changed = new Uint8Array();
  #size = 1;
  #across = 0;
  #down = 0;
  #isWhole = true;

  constructor(
    private readonly canvas: CanvasRenderingContext2D,
    /** Draws what is below all parts, in pixels of the screen. */
    private readonly drawBelow: () => void,
  ) {}

  /** Begins a picture. `ratio`: pixels of the screen per CSS pixel. */
  begin(ratio: number): void {
    const { width, height } = this.canvas.canvas;
    const [across, down] = [Math.ceil(width / TILE_PX), Math.ceil(height / TILE_PX)];
    this.#size = TILE_PX / ratio;
    this.#parts = [];
    if (across !== this.#across || down !== this.#down) {
      [this.#across, this.#down, this.#isWhole] = [across, down, true];
      this.#sums = new Int32Array(across * down);
      this.#shown = new Int32Array(across * down);
      this.#changed = new Uint8Array(across * down);
    }
    this.#sums.fill(0);
  }

  /** Adds a part above all others. */
  add<A extends readonly Value[]>(...part: [left: number, top: number, right: number, bottom: number, draw: Draw<A>, ...given: A]): void {
    this.put(this.part(...part));
  }

  /**
   * Makes a part. Its pixels must depend on the arguments only, and be within the bounds, which are in CSS pixels. `draw` must not
   * be a new function in each picture.
   */
  part<A extends readonly Value[]>(left: number, top: number, right: number, bottom: number, draw: Draw<A>, ...given: A): Part {
    return { draw, given, sum: checksum(draw, given), ...this.#range(left, top, right, bottom) } as unknown as Part;
  }

  /** Adds a part, which can be of an earlier picture of the same size. */
  put(part: Part): void {
    const { sum, x0, x1, y0, y1 } = part;
    this.#parts.push(part);
    for (let y = y0; y <= y1; y++) {
      for (let x = x0; x <= x1; x++) {
        const tile = y * this.#across + x;
        this.#sums[tile] = Math.imul(this.#sums[tile]! ^ sum, PRIME);
      }
    }
  }

  /** Below an area, by default everywhere, something has changed. */
  touch(left = -Infinity, top = -Infinity, right = Infinity, bottom = Infinity): void {
    this.#isWhole ||= left === -Infinity;
    const { x0, x1, y0, y1 } = this.#range(left, top, right, bottom);
    for (let y = y0; y <= y1; y++) {
      this.#changed.fill(1, y * this.#across + x0, y * this.#across + x1 + 1);
    }
  }

  /** Draws the tiles that have changed. */
  end(): void {
    const { canvas } = this;
    const ratio = TILE_PX / this.#size;
    canvas.save();
    canvas.setTransform(1, 0, 0, 1, 0, 0);
    if (!this.#isWhole) {
      this.#clip();
    }
    this.drawBelow();
    canvas.scale(ratio, ratio);
    for (const part of this.#parts) {
      if (this.#isWhole || this.#isChanged(part)) {
        part.draw(canvas, ...part.given);
      }
    }
    canvas.restore();
    this.#isWhole = false;
    this.#changed.fill(0);
    [this.#sums, this.#shown] = [this.#shown, this.#sums];
  }

  /** Finds the tiles that have changed, and limits the drawing to them. */
  #clip(): void {
    const [changed, sums, shown] = [this.#changed, this.#sums, this.#shown];
    this.canvas.beginPath();
    for (let y = 0, tile = 0; y < this.#down; y++) {
      for (let x = 0, first = 0; x < this.#across; x++, tile++) {
        changed[tile] ||= Number(sums[tile] !== shown[tile]);
        if (!changed[tile]) {
          first = x + 1;
        } else if (x === this.#across - 1 || !(changed[tile + 1] ||= Number(sums[tile + 1] !== shown[tile + 1]))) {
          this.canvas.rect(first * TILE_PX, y * TILE_PX, (x + 1 - first) * TILE_PX, TILE_PX);
          first = x + 1;
        }
      }
    }
    this.canvas.clip();
  }

  #isChanged({ x0, x1, y0, y1 }: Part): boolean {
    for (let y = y0; y <= y1; y++) {
      for (let x = x0; x <= x1; x++) {
        if (this.#changed[y * this.#across + x]) {
          return true;
        }
      }
    }
    return false;
  }

  #range(left: number, top: number, right: number, bottom: number): Pick<Part, "x0" | "x1" | "y0" | "y1"> {
    const place = (px: number, end: number) => Math.max(0, Math.min(end, Math.floor(px / this.#size)));
    return { x0: place(left, this.#across), x1: place(right, this.#across - 1), y0: place(top, this.#down), y1: place(bottom, this.#down - 1) };
  }
}

const kinds = new Map<unknown, number>();

function checksum(draw: unknown, values: readonly Value[]): number {
  let sum = kinds.get(draw);
  if (sum === undefined) {
    kinds.set(draw, (sum = kinds.size));
  }
  const add = (bits: number) => (sum = Math.imul(sum! ^ bits, PRIME) ^ (sum! >>> 15));
  for (const value of values) {
    if (typeof value === "string") {
      for (let at = 0; at < value.length; at++) {
        add(value.charCodeAt(at));
      }
    } else {
      number[0] = value;
      add(halves[0]!);
      add(halves[1]!);
    }
  }
  return sum;
}

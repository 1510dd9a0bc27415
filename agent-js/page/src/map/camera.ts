/** The visible part of the map. Converts cells to pixels and back. In cells y grows upward, in pixels it grows downward. */

export interface Area {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

const CLOSEST = 96;

/** Pixels of the screen for each CSS pixel. */
export const pixelRatio = (): number => window.devicePixelRatio || 1;

export class Camera {
  /** The cell at the centre of the picture. */
  x = 0;
  y = 0;
  /** CSS pixels per cell. */
  scale = 1;
  width = 1;
  height = 1;
  /** Increases with each change. */
  version = 0;
  #area: Area = { x0: 0, y0: 0, x1: 1, y1: 1 };
  #isFitted = true;

  /** Sets the area of a new map, and shows all of it. */
  setArea(area: Area): void {
    this.#area = area;
    this.fit();
  }

  /** Sets the size of the picture, in CSS pixels. */
  resize(width: number, height: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    if (this.#isFitted) {
      this.fit();
    }
    this.version++;
  }

  /** Shows the whole area. */
  fit(): void {
    const { x0, y0, x1, y1 } = this.#area;
    this.x = (x0 + x1) / 2;
    this.y = (y0 + y1) / 2;
    this.scale = this.#whole;
    this.#isFitted = true;
    this.version++;
  }

  /** Moves the map by a number of pixels. */
  pan(dx: number, dy: number): void {
    this.centre(this.x - dx / this.scale, this.y + dy / this.scale);
  }

  /** Shows a point, given in cells, at the centre. */
  centre(x: number, y: number): void {
    const { x0, y0, x1, y1 } = this.#area;
    this.x = Math.min(x1, Math.max(x0, x));
    this.y = Math.min(y1, Math.max(y0, y));
    this.#isFitted = false;
    this.version++;
  }

  /** Zooms by a factor. The point of the map at the pixel (px, py) stays there. */
  zoom(factor: number, px = this.width / 2, py = this.height / 2): void {
    const [x, y] = this.toCells(px, py);
    this.scale = Math.min(CLOSEST, Math.max(this.#whole * 0.8, this.scale * factor));
    this.centre(x - (px - this.width / 2) / this.scale, y + (py - this.height / 2) / this.scale);
  }

  toPixels(x: number, y: number): [x: number, y: number] {
    return [(x - this.x) * this.scale + this.width / 2, (this.y - y) * this.scale + this.height / 2];
  }

  toCells(px: number, py: number): [x: number, y: number] {
    return [(px - this.width / 2) / this.scale + this.x, this.y - (py - this.height / 2) / this.scale];
  }

  get #whole(): number {
    const { x0, y0, x1, y1 } = this.#area;
    return Math.min(this.width / (x1 - x0), this.height / (y1 - y0));
  }
}

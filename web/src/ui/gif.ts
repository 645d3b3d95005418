// Writes animated GIFs: one palette of 256 colours, made from the first picture, and LZW as the format asks.

// The most frequent colours of a picture, 5 bits per channel; neighbours of a chosen one count less, so that gradients keep their ends.
export function makePalette(rgba: Uint8ClampedArray): Uint8Array {
  const counts = new Uint32Array(32768);
  const sums = new Float64Array(3 * 32768);
  for (let i = 0; i < rgba.length; i += 4) {
    const k = ((rgba[i]! >> 3) << 10) | ((rgba[i + 1]! >> 3) << 5) | (rgba[i + 2]! >> 3);
    counts[k]!++;
    for (let c = 0; c < 3; c++) sums[3 * k + c]! += rgba[i + c]!;
  }
  const used: number[] = [];
  for (let k = 0; k < 32768; k++) if (counts[k]) used.push(k);
  used.sort((a, b) => counts[b]! - counts[a]!);
  const out = new Uint8Array(768);
  // Half by how often they are there, the rest spread over what is left, so that rare colours are not lost.
  const chosen = used.slice(0, 160);
  const rest = used.slice(160);
  for (let i = 0; i < 96 && rest.length; i++) chosen.push(rest[Math.floor((i * rest.length) / 96)]!);
  chosen.slice(0, 256).forEach((k, i) => {
    for (let c = 0; c < 3; c++) out[3 * i + c] = Math.round(sums[3 * k + c]! / counts[k]!);
  });
  return out;
}

// LZW with codes of 9 to 12 bits for 256 colours, in blocks of at most 255 bytes.
export function compress(pixels: Uint8Array): Uint8Array {
  const out: number[] = [8];
  let block: number[] = [];
  let bits = 0;
  let held = 0;
  const flush = () => {
    out.push(block.length, ...block);
    block = [];
  };
  const put = (code: number, width: number) => {
    bits |= code << held;
    held += width;
    while (held >= 8) {
      block.push(bits & 255);
      if (block.length === 255) flush();
      bits >>>= 8;
      held -= 8;
    }
  };
  const CLEAR = 256;
  let table = new Map<number, number>();
  let next = 258;
  let width = 9;
  put(CLEAR, width);
  let prefix = pixels[0]!;
  for (let i = 1; i < pixels.length; i++) {
    const key = (prefix << 8) | pixels[i]!;
    const known = table.get(key);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    put(prefix, width);
    table.set(key, next++);
    if (next - 1 === 1 << width && width < 12) width++;
    else if (next === 4096) {
      put(CLEAR, width);
      table = new Map();
      next = 258;
      width = 9;
    }
    prefix = pixels[i]!;
  }
  put(prefix, width);
  put(257, width);
  if (held > 0) block.push(bits & 255);
  if (block.length) flush();
  out.push(0);
  return Uint8Array.from(out);
}

export class GifWriter {
  private readonly parts: Uint8Array[] = [];
  private palette: Uint8Array | undefined;
  private readonly nearest = new Int16Array(32768).fill(-1);

  constructor(private readonly width: number, private readonly height: number, private readonly fps: number) {}

  private find(k: number): number {
    const known = this.nearest[k]!;
    if (known >= 0) return known;
    const palette = this.palette!;
    const r = ((k >> 10) << 3) | 4;
    const g = (((k >> 5) & 31) << 3) | 4;
    const b = ((k & 31) << 3) | 4;
    let best = 0;
    let least = Infinity;
    for (let i = 0; i < 256; i++) {
      const d = 2 * (palette[3 * i]! - r) ** 2 + 4 * (palette[3 * i + 1]! - g) ** 2 + 3 * (palette[3 * i + 2]! - b) ** 2;
      if (d < least) {
        least = d;
        best = i;
      }
    }
    return (this.nearest[k] = best);
  }
  async add(canvas: HTMLCanvasElement): Promise<void> {
    const { width, height } = this;
    const rgba = canvas.getContext('2d')!.getImageData(0, 0, width, height).data;
    const two = (v: number) => [v & 255, v >> 8];
    if (!this.palette) {
      this.palette = makePalette(rgba);
      this.parts.push(Uint8Array.from([...new TextEncoder().encode('GIF89a'), ...two(width), ...two(height), 0xf7, 0, 0]), this.palette);
      this.parts.push(Uint8Array.from([0x21, 0xff, 11, ...new TextEncoder().encode('NETSCAPE2.0'), 3, 1, 0, 0, 0]));
    }
    const pixels = new Uint8Array(width * height);
    for (let i = 0; i < pixels.length; i++) pixels[i] = this.find(((rgba[4 * i]! >> 3) << 10) | ((rgba[4 * i + 1]! >> 3) << 5) | (rgba[4 * i + 2]! >> 3));
    this.parts.push(Uint8Array.from([0x21, 0xf9, 4, 4, ...two(Math.max(2, Math.round(100 / this.fps))), 0, 0, 0x2c, 0, 0, 0, 0, ...two(width), ...two(height), 0]), compress(pixels));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  async finish(): Promise<Blob> {
    this.parts.push(Uint8Array.from([0x3b]));
    return new Blob(this.parts as Uint8Array<ArrayBuffer>[], { type: 'image/gif' });
  }
}

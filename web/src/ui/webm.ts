// Writes WebM files: the browser's own encoder makes VP9 or VP8 pictures, and this puts them into the container (Matroska), one cluster per two
// seconds. Times are those of the video, not of the clock: a slow machine makes the same file.

const bytes = (...list: (number | Uint8Array)[]): Uint8Array => {
  const out = new Uint8Array(list.reduce<number>((n, b) => n + (typeof b === 'number' ? 1 : b.length), 0));
  let at = 0;
  for (const b of list) {
    if (typeof b === 'number') out[at++] = b;
    else {
      out.set(b, at);
      at += b.length;
    }
  }
  return out;
};
const idOf = (id: number): Uint8Array => {
  const out: number[] = [];
  for (let v = id; v > 0; v = Math.floor(v / 256)) out.unshift(v % 256);
  return Uint8Array.from(out);
};
const sizeOf = (size: number): Uint8Array => {
  const out = new Uint8Array(8);
  out[0] = 1;
  for (let i = 7, v = size; i > 0; i--, v = Math.floor(v / 256)) out[i] = v % 256;
  return out;
};
const element = (id: number, ...content: (number | Uint8Array)[]): Uint8Array => {
  const body = bytes(...content);
  return bytes(idOf(id), sizeOf(body.length), body);
};
const whole = (value: number): Uint8Array => {
  const out: number[] = [];
  for (let v = value; v > 0; v = Math.floor(v / 256)) out.unshift(v % 256);
  return Uint8Array.from(out.length ? out : [0]);
};
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const real = (value: number): Uint8Array => {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setFloat64(0, value);
  return out;
};

interface Piece { time: number; key: boolean; data: Uint8Array } // ms

export function webmFile(codec: string, width: number, height: number, pieces: readonly Piece[], duration: number): Uint8Array {
  const head = element(0x1a45dfa3, element(0x4286, whole(1)), element(0x42f7, whole(1)), element(0x42f2, whole(4)), element(0x42f3, whole(8)), element(0x4282, text('webm')), element(0x4287, whole(4)), element(0x4285, whole(2)));
  const info = element(0x1549a966, element(0x2ad7b1, whole(1000000)), element(0x4489, real(duration)), element(0x4d80, text('voxelastic')), element(0x5741, text('voxelastic')));
  const track = element(0xae, element(0xd7, whole(1)), element(0x73c5, whole(1)), element(0x83, whole(1)), element(0x9c, whole(0)), element(0x86, text(codec)), element(0xe0, element(0xb0, whole(width)), element(0xba, whole(height))));
  const clusters: Uint8Array[] = [];
  for (let i = 0; i < pieces.length; ) {
    const begin = pieces[i]!.time;
    const blocks: Uint8Array[] = [];
    do {
      const p = pieces[i]!;
      const offset = p.time - begin;
      blocks.push(element(0xa3, 0x81, (offset >> 8) & 255, offset & 255, p.key ? 0x80 : 0, p.data));
      i++;
    } while (i < pieces.length && !(pieces[i]!.key && pieces[i]!.time - begin >= 1000) && pieces[i]!.time - begin < 30000);
    clusters.push(element(0x1f43b675, element(0xe7, whole(begin)), ...blocks));
  }
  return bytes(head, element(0x18538067, info, element(0x1654ae6b, track), ...clusters));
}

export class WebmWriter {
  private readonly pieces: Piece[] = [];
  private problem: Error | undefined;
  private count = 0;

  private constructor(private readonly width: number, private readonly height: number, private readonly fps: number, private readonly codec: string, private readonly encoder: VideoEncoder) {}

  static async create(width: number, height: number, fps: number): Promise<WebmWriter> {
    if (typeof VideoEncoder === 'undefined') throw new Error('this browser cannot encode videos; save a GIF, or use voxelastic video');
    for (const [codec, name] of [['vp09.00.41.08', 'V_VP9'], ['vp8', 'V_VP8']] as const) {
      const config: VideoEncoderConfig = { codec, width, height, framerate: fps, bitrate: Math.max(1.5e6, width * height * fps * 0.09), latencyMode: 'quality' };
      if (!(await VideoEncoder.isConfigSupported(config).catch(() => undefined))?.supported) continue;
      let writer: WebmWriter | undefined;
      const encoder = new VideoEncoder({
        output: (chunk) => {
          const data = new Uint8Array(chunk.byteLength);
          chunk.copyTo(data);
          writer!.pieces.push({ time: Math.round(chunk.timestamp / 1000), key: chunk.type === 'key', data });
        },
        error: (e) => (writer!.problem = e),
      });
      encoder.configure(config);
      writer = new WebmWriter(width, height, fps, name, encoder);
      return writer;
    }
    throw new Error('this browser has no encoder for WebM; save a GIF, or use voxelastic video');
  }
  async add(canvas: HTMLCanvasElement): Promise<void> {
    if (this.problem) throw this.problem;
    const frame = new VideoFrame(canvas, { timestamp: Math.round((this.count * 1e6) / this.fps), duration: Math.round(1e6 / this.fps) });
    this.encoder.encode(frame, { keyFrame: this.count % Math.max(1, Math.round(2 * this.fps)) === 0 });
    frame.close();
    this.count++;
    while (this.encoder.encodeQueueSize > 4) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  async finish(): Promise<Blob> {
    await this.encoder.flush();
    this.encoder.close();
    if (this.problem) throw this.problem;
    return new Blob([webmFile(this.codec, this.width, this.height, this.pieces, (this.count * 1000) / this.fps) as Uint8Array<ArrayBuffer>], { type: 'video/webm' });
  }
}

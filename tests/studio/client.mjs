// A small WebSocket client on a bare socket, so that tests can also send what no browser would; and a studio to talk to.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import net from 'node:net';

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// One HTTP request, head and body as text.
export function request(port, lines) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    const chunks = [];
    socket.on('data', (d) => chunks.push(d));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.setTimeout(5000, () => socket.destroy());
    socket.write(lines.join('\r\n') + '\r\nConnection: close\r\n\r\n');
  });
}

// A frame as a client sends it; `fin` and `opcode` as in RFC 6455.
export function frame(payload, opcode, { fin = true, mask = true, length = payload.length } = {}) {
  const head = [];
  head.push((fin ? 0x80 : 0) | opcode);
  const bit = mask ? 0x80 : 0;
  if (length < 126) head.push(bit | length);
  else if (length < 65536) head.push(bit | 126, length >> 8, length & 255);
  else {
    const b = Buffer.alloc(8);
    b.writeBigUInt64BE(BigInt(length));
    head.push(bit | 127, ...b);
  }
  const key = mask ? randomBytes(4) : Buffer.alloc(0);
  const body = Buffer.from(payload);
  if (mask) for (let i = 0; i < body.length; i++) body[i] ^= key[i & 3];
  return Buffer.concat([Buffer.from(head), key, body]);
}

// Takes a binary message of the server apart: header and typed arrays.
export function unpack(buffer) {
  const length = buffer.readUInt32LE(0);
  const header = JSON.parse(buffer.subarray(4, 4 + length).toString('utf8'));
  const types = { f32: Float32Array, f64: Float64Array, u32: Uint32Array, i32: Int32Array, u16: Uint16Array, u8: Uint8Array };
  const arrays = {};
  let at = 4 + length;
  if (at % 8 !== 0) throw new Error('the arrays do not begin at a multiple of 8');
  for (const [name, type, count] of header.arrays) {
    const bytes = count * types[type].BYTES_PER_ELEMENT;
    arrays[name] = new types[type](buffer.buffer.slice(buffer.byteOffset + at, buffer.byteOffset + at + bytes));
    at += Math.ceil(bytes / 8) * 8;
  }
  if (at !== buffer.length) throw new Error(`${buffer.length - at} bytes are left over`);
  return { ...header, data: arrays };
}

export class Socket {
  constructor(socket) {
    this.socket = socket;
    this.buffer = Buffer.alloc(0);
    this.parts = [];
    this.waiting = new Map();
    this.listeners = [];
    this.log = [];
    this.next = 1;
    this.closed = new Promise((resolve) => (this.resolveClosed = resolve));
    this.code = null;
    this.reading = true;
  }

  // Opens a connection; `options` change what is sent. Resolves with null if it is refused.
  static open(port, token, options = {}) {
    const { host = `127.0.0.1:${port}`, origin = `http://127.0.0.1:${port}`, path = `/ws?token=${token}`, protocol = 'voxelastic-studio-1' } = options;
    return new Promise((resolve, reject) => {
      const key = randomBytes(16).toString('base64');
      const socket = net.connect(port, '127.0.0.1');
      const lines = [`GET ${path} HTTP/1.1`, 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${key}`];
      if (host !== null) lines.push(`Host: ${host}`);
      if (origin !== null) lines.push(`Origin: ${origin}`);
      if (protocol !== null) lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
      let head = Buffer.alloc(0);
      let self = null;
      socket.setNoDelay(true);
      socket.on('error', (e) => (self ? self.ended() : e.code === 'ECONNREFUSED' ? reject(e) : resolve(null)));
      socket.on('close', () => (self ? self.ended() : resolve(null)));
      socket.on('data', (d) => {
        if (self) return self.receive(d);
        head = Buffer.concat([head, d]);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        const text = head.subarray(0, end).toString('latin1');
        const accept = createHash('sha1').update(key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
        if (!text.startsWith('HTTP/1.1 101') || !text.includes(accept)) {
          socket.destroy();
          return resolve(null);
        }
        self = new Socket(socket);
        const rest = head.subarray(end + 4);
        if (rest.length > 0) self.receive(rest);
        resolve(self);
      });
      socket.write(lines.join('\r\n') + '\r\n\r\n');
    });
  }

  ended() {
    for (const { reject } of this.waiting.values()) reject(new Error(`closed (${this.code})`));
    this.waiting.clear();
    this.resolveClosed(this.code);
  }

  receive(data) {
    this.buffer = this.buffer.length === 0 ? data : Buffer.concat([this.buffer, data]);
    for (;;) {
      const b = this.buffer;
      if (b.length < 2) return;
      let length = b[1] & 127;
      let at = 2;
      if (length === 126) {
        if (b.length < 4) return;
        length = b.readUInt16BE(2);
        at = 4;
      } else if (length === 127) {
        if (b.length < 10) return;
        length = Number(b.readBigUInt64BE(2));
        at = 10;
      }
      if (b.length < at + length) return;
      const opcode = b[0] & 15;
      const payload = Buffer.from(b.subarray(at, at + length));
      this.buffer = b.subarray(at + length);
      if (opcode === 8) {
        this.code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
        this.socket.end(frame(payload.subarray(0, 2), 8));
        continue;
      }
      if (opcode === 9) {
        this.socket.write(frame(payload, 10));
        continue;
      }
      if (opcode !== 0) this.kind = opcode;
      this.parts.push(payload);
      if ((b[0] & 0x80) !== 0) {
        const whole = Buffer.concat(this.parts);
        this.parts = [];
        this.deliver(whole, this.kind === 2);
      }
    }
  }

  deliver(whole, binary) {
    const message = binary ? unpack(whole) : JSON.parse(whole.toString('utf8'));
    if (!binary && 'id' in message && this.waiting.has(message.id)) {
      const { resolve } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      return resolve(message);
    }
    this.log.push(message);
    if (this.log.length > 5000) this.log.splice(0, 2500);
    for (const l of [...this.listeners]) l(message);
  }

  write(bytes) {
    return new Promise((resolve) => this.socket.write(bytes, resolve));
  }

  send(object) {
    return this.write(frame(Buffer.from(JSON.stringify(object)), 1));
  }

  // A command and its reply, whatever it is.
  ask(verb, members = {}, bytes = null) {
    const id = this.next++;
    const text = Buffer.from(JSON.stringify({ id, do: verb, ...members }));
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      if (bytes === null) this.write(frame(text, 1));
      else {
        const head = Buffer.alloc(4);
        head.writeUInt32LE(text.length);
        this.write(frame(Buffer.concat([head, text, bytes]), 2));
      }
    });
  }

  // The same, which must succeed.
  async do(verb, members = {}, bytes = null) {
    const reply = await this.ask(verb, members, bytes);
    if (!reply.ok) throw new Error(`${verb}: ${reply.error.code}: ${reply.error.message}`);
    return reply;
  }

  // The next message that `is` true of.
  when(is, what = 'a message', ms = 20000) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.listeners = this.listeners.filter((l) => l !== look);
        reject(new Error(`${what} did not come`));
      }, ms);
      const look = (m) => {
        if (!is(m)) return;
        clearTimeout(timer);
        this.listeners = this.listeners.filter((l) => l !== look);
        resolve(m);
      };
      this.listeners.push(look);
    });
  }

  close() {
    this.socket.end(frame(Buffer.from([0x03, 0xe8]), 8));
    return this.closed;
  }

  destroy() {
    this.socket.destroy();
    return this.closed;
  }
}

// A studio that runs.
export class Studio {
  static async start(binary, folder, args = [], { open = false, env = process.env } = {}) {
    const self = new Studio();
    self.process = spawn(binary, ['studio', ...(open ? [] : ['--no-open']), ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = () => self.process.kill('SIGKILL'); // a test that failed leaves none
    process.on('exit', kill);
    self.errors = '';
    self.process.stderr.on('data', (d) => (self.errors += d));
    self.exited = new Promise((resolve) => self.process.on('exit', (code, signal) => {
      process.off('exit', kill);
      resolve({ code, signal });
    }));
    const address = await new Promise((resolve, reject) => {
      let text = '';
      self.process.stdout.on('data', (d) => {
        text += d;
        const found = /(http:\/\/127\.0\.0\.1:(\d+)\/\?token=([0-9a-f]{32}))/.exec(text);
        if (found) resolve(found);
      });
      self.exited.then(({ code }) => reject(new Error(`the studio ended with ${code}: ${self.errors}`)));
    });
    self.url = address[1];
    self.port = Number(address[2]);
    self.token = address[3];
    return self;
  }

  connect(options) {
    return Socket.open(this.port, this.token, options);
  }

  async end(signal = 'SIGINT') {
    this.process.kill(signal);
    return this.exited;
  }
}

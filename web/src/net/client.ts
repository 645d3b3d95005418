// The connection to the server: commands that return promises, events and binary messages that go to handlers, and reconnection.
import { readBinary, writeBinary, type BinaryMessage } from './protocol';

export class CommandError extends Error {
  constructor(readonly code: string, message: string) {
    super(message);
  }
}

export type LinkState = 'connecting' | 'open' | 'lost' | 'replaced';

type Json = any;

export interface Handlers {
  state(state: LinkState): void;
  event(name: string, data: Json): void;
  binary(message: BinaryMessage): void;
}

export class Client {
  private socket: WebSocket | undefined;
  private next = 1;
  private readonly waiting = new Map<number, { resolve(value: Json): void; reject(error: Error): void }>();
  private retry = 0;

  constructor(private readonly url: string, private readonly handlers: Handlers) {}

  open(): void {
    this.handlers.state('connecting');
    const socket = new WebSocket(this.url, 'voxelastic-studio-1');
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.retry = 0;
      this.handlers.state('open');
    };
    socket.onmessage = (message: MessageEvent<string | ArrayBuffer>) => {
      if (typeof message.data !== 'string') {
        this.handlers.binary(readBinary(message.data));
        return;
      }
      const data = JSON.parse(message.data);
      if (typeof data.event === 'string') {
        this.handlers.event(data.event, data);
        return;
      }
      const waiting = this.waiting.get(data.id);
      if (!waiting) return;
      this.waiting.delete(data.id);
      if (data.ok) waiting.resolve(data);
      else waiting.reject(new CommandError(data.error?.code ?? 'unknown', data.error?.message ?? 'failed'));
    };
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.socket = undefined;
      for (const { reject } of this.waiting.values()) reject(new CommandError('lost', 'the connection to the server was lost'));
      this.waiting.clear();
      // Another tab has taken over: coming back would only take it away from there again.
      if (event.code === 4001) {
        this.handlers.state('replaced');
        return;
      }
      this.handlers.state('lost');
      setTimeout(() => this.open(), Math.min(5000, 250 * 2 ** this.retry++));
    };
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  // Sends a command and waits for its reply.
  do<T = Json>(name: string, args: object = {}, bytes?: Uint8Array): Promise<T> {
    if (!this.isOpen) return Promise.reject(new CommandError('lost', 'not connected to the server'));
    const id = this.next++;
    const command = { id, do: name, ...args };
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.socket!.send(bytes ? writeBinary(command, bytes) : JSON.stringify(command));
    });
  }
  // Sends a command that needs no reply.
  tell(name: string, args: object = {}): void {
    if (this.isOpen) this.socket!.send(JSON.stringify({ do: name, ...args }));
  }
}

// Motion between the frames of a replay.
import { describe, expect, it } from 'vitest';
import { curve, type ReplayFrame } from '../src/replay/data';

const frame = (time: number, x: number, z: number, origin: [number, number, number] = [0, 0, 0]): ReplayFrame => ({ time, step: 0, origin, corners: Float32Array.from([x - origin[0], 0, z - origin[2]]), fields: new Map() });

describe('between frames', () => {
  it('eight frames of a swing look like the swing, whatever the origins', () => {
    const at = (i: number) => frame(i / 8, Math.sin((2 * Math.PI * i) / 8), 5, [i % 2, 0, 0]);
    let worst = 0;
    for (let i = 1; i < 9; i++)
      for (let k = 0; k <= 10; k++) {
        const got = curve(k / 10, at(i), at(i + 1), at(i - 1), at(i + 2), false)[0]! + at(i).origin[0];
        worst = Math.max(worst, Math.abs(got - Math.sin((2 * Math.PI * (i + k / 10)) / 8)));
      }
    expect(worst).toBeLessThan(0.02); // straight lines are 0.076 off: 1 - cos(pi / 8)
  });
  it('passes through frames, also at the ends and with uneven times', () => {
    const [a, b, c] = [frame(0, 1, 1), frame(0.1, 3, 1), frame(0.5, 2, 1)];
    expect(curve(0, a, b, undefined, c, false)[0]).toBeCloseTo(1, 6);
    expect(curve(1, a, b, undefined, c, false)[0]).toBeCloseTo(3, 6);
    expect(curve(0.5, b, c, a, undefined, false)[0]).toBeGreaterThan(2);
    expect(curve(0.5, a, b, undefined, undefined, false)[0]).toBeCloseTo(2, 6);
  });
  it('does not swing into the floor', () => {
    const list = [frame(0, 0, 4), frame(1, 0, 0), frame(2, 0, 0), frame(3, 0, 4)];
    expect(curve(0.5, list[1]!, list[2]!, list[0], list[3], true)[2]).toBe(0);
    expect(curve(0.5, list[1]!, list[2]!, list[0], list[3], false)[2]).toBeLessThan(-0.1);
  });
});

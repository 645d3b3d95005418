"""Files of every format, damaged at random, given to the program: it may refuse them, with a status of 2, 3 or 4, but not
crash, take more than 20 s or more than 1 GB.

    python3 mutate.py VOXELASTIC SOURCE COUNT [SEED]"""
import glob
import os
import random
import re
import sys
import threading

VOXELASTIC, SOURCE, COUNT = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
random.seed(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
ENDINGS = {'json': '.json', 'vxa': '.vxa', 'vxl': '.vxl.json', 'npy': '.npy', 'npz': '.npz', 'vox': '.vox', 'stl': '.stl',
           'obj': '.obj', 'ply': '.ply', '3mf': '.3mf', 'png': '.png', 'history': '.history', 'vxd': '.vxd', 'checkpoint': '.vxck'}
MESHES = ('stl', 'obj', 'ply', '3mf', 'png')
NUMBERS = [b'0', b'-1', b'1e308', b'nan', b'-1e-320', b'2147483648', b'99999999999', b'4294967295', b'1e9', b'0.5', b'65536']


def make(found):
    """Good files that the program itself writes: most of the seeds of the fuzzers are hostile already."""
    scenes = [os.path.join(SOURCE, 'scenes', s + '.json') for s in ('cantilever', 'clapper', 'gradient')]
    for scene in scenes:
        for kind in ('vxa', 'vxl', 'npy', 'npz'):
            if run([VOXELASTIC, 'convert', scene, 'seed' + ENDINGS[kind]])[0] == 0:
                found.setdefault(kind, []).append(open('seed' + ENDINGS[kind], 'rb').read())
        run([VOXELASTIC, 'run', scene, '-q', '--steps', '20', '-o', 'seed', '--no-replay', '--write', 'stl,obj,ply'])
        for path in glob.glob('seed/**', recursive=True):
            for kind in ('stl', 'obj', 'ply'):
                if path.endswith(ENDINGS[kind]) and os.path.getsize(path) < 300000:
                    found.setdefault(kind, []).append(open(path, 'rb').read())
    found['checkpoint'] = [open('seed/state.vxck', 'rb').read()]
    found['vxd'] = [b'<VXD><Structure replace="VXA.VXC.Structure" Compression="ASCII_READABLE"><X_Voxels>2</X_Voxels>'
                    b'<Y_Voxels>2</Y_Voxels><Z_Voxels>1</Z_Voxels><Data><Layer>1111</Layer></Data><PhaseOffset><Layer>'
                    b'0,0.5,0,0.25</Layer></PhaseOffset></Structure><Gravity replace="VXA.Environment.Gravity"><GravAcc>'
                    b'-3</GravAcc></Gravity></VXD>'] + found.get('vxd', [])


def seeds():
    found = {}
    for kind in ENDINGS:
        files = [f for f in glob.glob(os.path.join(SOURCE, 'tests/fuzz/corpus', kind, '*')) if os.path.getsize(f) < 200000]
        if kind == 'json':
            files += [f for f in glob.glob(os.path.join(SOURCE, 'scenes/*.json')) if os.path.getsize(f) < 200000]
        if files:
            found[kind] = [open(f, 'rb').read() for f in sorted(files)]
    make(found)
    return found


def damage(data, others):
    data = bytearray(data)
    gentle = random.random() < 0.5  # one number, byte or bit: most of these are read to their end
    for _ in range(1 if gentle else random.choice((1, 1, 2, 4, 16))):
        if not data:
            return bytes(data)
        at = random.randrange(len(data))
        what = random.choice((0, 3, 3, 3, 4)) if gentle else random.randrange(9)
        if what == 0:
            data[at] = random.randrange(256)
        elif what == 1:
            del data[at:at + random.choice((1, 4, 100, len(data)))]
        elif what == 2:
            data[at:at] = data[at:at + random.choice((1, 16, 1000))] * random.choice((1, 2, 50))
        elif what == 3:
            numbers = [m.span() for m in re.finditer(rb'-?\d+(\.\d+)?([eE][-+]?\d+)?', bytes(data))]
            if numbers:
                a, b = random.choice(numbers)
                data[a:b] = random.choice(NUMBERS)
        elif what == 4:
            data[at] ^= 1 << random.randrange(8)
        elif what == 5:
            del data[at:]
        elif what == 6:
            other = random.choice(others)
            if other:
                begin = random.randrange(len(other))
                data[at:at] = other[begin:begin + random.choice((4, 64, 1000))]
        elif what == 7:
            data[at:at + 4] = random.choice((b'\xff\xff\xff\xff', b'\0\0\0\x80', b'\xff\xff\xff\x7f', b'\0\0\0\0'))
        else:
            tags = re.findall(rb'<[^<>]{1,80}>|"[^"]{1,80}"', bytes(data))
            if tags:
                data[at:at] = random.choice(tags)
    return bytes(data)


def run(arguments):
    """Exit status (negative: a signal), seconds, MB."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for n in range(3):
            os.dup2(null, n)
        os.execv(arguments[0], arguments)
    late = threading.Timer(60, os.kill, [child, 9])
    late.start()
    _, status, usage = os.wait4(child, 0)
    late.cancel()
    code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


found = seeds()
kinds = sorted(found)
bad = 0
slowest = largest = 0.0
codes = {}
run([VOXELASTIC, 'convert', os.path.join(SOURCE, 'scenes/cantilever.json'), 'base.vxa'])
with open('scene.json', 'wb') as f:
    f.write(open(os.path.join(SOURCE, 'scenes/gradient.json'), 'rb').read())
for n in range(COUNT):
    kind = kinds[n % len(kinds)]
    name = 'case' + ENDINGS[kind]
    good = found[kind][-8:]  # the last ones were made above
    data = damage(random.choice(good if random.random() < 0.7 else found[kind]), found[kind])
    with open(name, 'wb') as f:
        f.write(data)
    if kind in MESHES:
        arguments = [VOXELASTIC, 'voxelize', name, '-o', 'made.json', '--voxels', '10'] if kind != 'png' else \
            [VOXELASTIC, 'voxelize', name, '-o', 'made.json', '--pitch', '0.01']
    elif kind == 'history':
        arguments = [VOXELASTIC, 'info', name]
    elif kind == 'checkpoint':
        arguments = [VOXELASTIC, 'run', 'scene.json', '-q', '--resume', name, '--steps', '2']
    elif n % 3 == 0:
        arguments = [VOXELASTIC, 'run', name, '-q', '--steps', '5']
    else:
        arguments = [VOXELASTIC, random.choice(('check', 'info')), name]
    code, seconds, megabytes = run(arguments)
    codes[code] = codes.get(code, 0) + 1
    slowest, largest = max(slowest, seconds), max(largest, megabytes)
    if code not in (0, 2, 3, 4) or seconds > 20 or megabytes > 1000:
        bad += 1
        kept = 'bad-%d%s' % (n, ENDINGS[kind])
        with open(kept, 'wb') as f:
            f.write(data)
        print('FAIL    %s: status %d, %.1f s, %.0f MB: %s' % (kept, code, seconds, megabytes, ' '.join(arguments[1:])), flush=True)
print('%d files of %d kinds: statuses %s, at most %.1f s and %.0f MB, %d bad' %
      (COUNT, len(kinds), dict(sorted(codes.items())), slowest, largest, bad))
sys.exit(1 if bad else 0)

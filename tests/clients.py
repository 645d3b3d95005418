"""Behaves as the clients of evosoro and voxcraft do, with voxelastic in the place of their engines.

evosoro writes a file per robot, starts all engines at once, polls the folder of results by a plain listing, takes the
first name that begins as results do, reads it at once and looks for tags line by line; what does not come is started
again. voxcraft's client runs a folder of overlays and reads the report. Here engines are also killed at any moment.
Every robot must get its result, exactly once, and none may be half there.

    python3 clients.py VOXELASTIC ROBOTS FOLDERS"""
import os
import random

import shutil
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree

random.seed(1)
VOXELASTIC = os.path.abspath(sys.argv[1])
ROBOTS = int(sys.argv[2])
FOLDERS = int(sys.argv[3])
problems = []

def check(good, what):
    print(('ok      ' if good else 'FAIL    ') + what, flush=True)
    if not good:
        problems.append(what)

PALETTE = '''<Palette><Material ID="1"><Name>Muscle</Name><Mechanical><MatModel>0</MatModel><Elastic_Mod>1e5</Elastic_Mod>
<Density>1000</Density><CTE>0.01</CTE><uStatic>1</uStatic><uDynamic>0.5</uDynamic></Mechanical></Material></Palette>'''
STRUCTURE = '''<X_Voxels>3</X_Voxels><Y_Voxels>3</Y_Voxels><Z_Voxels>2</Z_Voxels><Data><Layer><![CDATA[101000101]]></Layer>
<Layer><![CDATA[111111111]]></Layer></Data>'''
SURROUNDINGS = '''<Environment><Gravity><GravEnabled>1</GravEnabled><GravAcc>-9.81</GravAcc><FloorEnabled>1</FloorEnabled>
</Gravity><Thermal><TempEnabled>1</TempEnabled><TempAmp>39</TempAmp><TempBase>25</TempBase><VaryTempEnabled>1</VaryTempEnabled>
<TempPeriod>0.2</TempPeriod></Thermal></Environment>'''
DAMPING = '''<Damping><BondDampingZ>1</BondDampingZ><ColDampingZ>0.8</ColDampingZ><SlowDampingZ>0.01</SlowDampingZ></Damping>'''

# ---- evosoro ---------------------------------------------------------------------------------------------------------

def evosoro():
    for folder in ('run/voxelyzeFiles', 'run/fitnessFiles'):
        os.makedirs(folder)
    os.symlink(VOXELASTIC, 'voxelyze')
    for i in range(ROBOTS):
        with open('run/voxelyzeFiles/run--id_%05i.vxa' % i, 'w') as f:
            f.write('''<?xml version="1.0" encoding="ISO-8859-1"?>\n<VXA Version="1.0"><Simulator>%s
<StopCondition><StopConditionType>2</StopConditionType><StopConditionValue>0.1</StopConditionValue><InitCmTime>0.02</InitCmTime>
</StopCondition><GA><WriteFitnessFile>1</WriteFitnessFile><FitnessFileName>run/fitnessFiles/softbotsOutput--id_%05i.xml
</FitnessFileName></GA></Simulator>%s<VXC Version="0.93"><Lattice><Lattice_Dim>0.01</Lattice_Dim></Lattice>%s
<Structure Compression="ASCII_READABLE">%s</Structure></VXC></VXA>''' % (DAMPING, i, SURROUNDINGS, PALETTE, STRUCTURE))
    processes = {}
    killers = []
    deaths = []

    def kill(process):
        if process.poll() is None:
            process.kill()
            deaths.append(process.pid)

    def start(i):
        processes[i] = subprocess.Popen(['./voxelyze', '-f', 'run/voxelyzeFiles/run--id_%05i.vxa' % i],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    for i in range(ROBOTS):
        start(i)
        if i % 2:  # half of them are killed, at whatever they are doing
            killers.append(threading.Timer(random.random() * 0.06, kill, [processes[i]]))
            killers[-1].start()
    results = {}
    half = twice = strange = 0
    begun = time.time()
    while len(results) < ROBOTS and time.time() - begun < 300:
        listing = subprocess.run(['ls', 'run/fitnessFiles/'], stdout=subprocess.PIPE, text=True).stdout.split('\n')[:-1]
        if not listing:
            # those that ended without a result are started again
            for i, p in list(processes.items()):
                if p.poll() is not None and i not in results and not os.path.exists(
                        'run/fitnessFiles/softbotsOutput--id_%05i.xml' % i):
                    start(i)
            time.sleep(0.005)
            continue
        name = sorted(listing)[0]
        if 'softbotsOutput--id_' not in name:
            strange += 1
            break
        try:
            robot = int(name.split('_')[1].split('.')[0])
        except ValueError:
            strange += 1
            break
        path = 'run/fitnessFiles/' + name
        text = open(path).read()
        values = {}
        for line in text.split('\n'):
            for tag in ('NormFinalDist', 'normAbsoluteDisplacement', 'Lifetime'):
                if '<%s>' % tag in line:
                    values[tag] = float(line[line.find('<%s>' % tag) + len(tag) + 2:line.find('</%s>' % tag)])
        if len(values) != 3 or not text.rstrip().endswith('</Voxelyze_Sim_Result>'):
            half += 1
        twice += robot in results and processes[robot].returncode != -signal.SIGKILL
        results[robot] = values
        os.remove(path)
    for k in killers:
        k.join()
    killed = len(deaths)
    codes = set()
    for p in processes.values():
        p.communicate()
        codes.add(p.returncode)
    check(len(results) == ROBOTS, 'evosoro: %d of %d results, %d engines were killed' % (len(results), ROBOTS, killed))
    check(half == 0, 'evosoro: %d results were half there' % half)
    check(strange == 0, 'evosoro: no strange name in the listing')
    check(killed > 0, 'evosoro: some of them were killed')
    check(len({str(v) for v in results.values()}) == 1, 'evosoro: the same robot has the same result, every time')
    check(codes <= {1, -signal.SIGKILL}, 'evosoro: exit codes %s' % sorted(codes))
    # the next engine that writes there removes what the dead ones left
    start(0)
    processes[0].communicate()
    left = [n for n in os.listdir('run/fitnessFiles') if n.startswith('.')]
    check(not left, 'evosoro: nothing is left of those that were killed')

# ---- voxcraft --------------------------------------------------------------------------------------------------------

def voxcraft():
    os.symlink(VOXELASTIC, 'voxcraft-sim')
    for n in range(FOLDERS):
        os.makedirs('data%d' % n)
        with open('data%d/base.vxa' % n, 'w') as f:
            f.write('''<VXA Version="1.1"><Simulator>%s<EnableExpansion>1</EnableExpansion><StopCondition><StopConditionFormula>
<mtSUB><mtVAR>t</mtVAR><mtCONST>0.1</mtCONST></mtSUB></StopConditionFormula></StopCondition><FitnessFunction><mtVAR>z</mtVAR>
</FitnessFunction></Simulator>%s<VXC Version="0.94"><Lattice><Lattice_Dim>0.01</Lattice_Dim></Lattice>%s
<Structure Compression="ASCII_READABLE"><X_Voxels>1</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>1</Z_Voxels><Data></Data></Structure>
</VXC></VXA>''' % (DAMPING, SURROUNDINGS, PALETTE))
        for i in range(5):
            with open('data%d/bot_%04d.vxd' % (n, i), 'w') as f:
                f.write('<VXD><Structure replace="VXA.VXC.Structure" Compression="ASCII_READABLE">%s</Structure></VXD>' % STRUCTURE)
    killed = half = 0
    done = 0
    for n in range(FOLDERS):
        report = 'output%d.xml' % n
        while True:
            process = subprocess.Popen(['./voxcraft-sim', '-i', 'data%d' % n, '-o', report], stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT)
            until = time.time() + random.random() * 0.1
            doomed = random.random() < 0.6 and killed < 3 * FOLDERS
            while process.poll() is None:
                if doomed and time.time() > until:
                    process.kill()
                    killed += 1
                    doomed = False
                if os.path.exists(report):
                    break
            if os.path.exists(report):  # read at once
                try:
                    root = ElementTree.parse(report).getroot()
                    scores = [float(root.find('detail/bot_%04d/fitness_score' % i).text) for i in range(5)]
                    done += len(scores) == 5
                except (ElementTree.ParseError, AttributeError):
                    half += 1
                process.communicate()
                break
            process.communicate()
    check(done == FOLDERS, 'voxcraft: %d of %d reports, %d simulators were killed' % (done, FOLDERS, killed))
    check(half == 0, 'voxcraft: %d reports were half there' % half)
    check(killed > 0, 'voxcraft: some of them were killed')

for path in ('work', ):
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    os.chdir(path)
evosoro()
voxcraft()
sys.exit(1 if problems else 0)

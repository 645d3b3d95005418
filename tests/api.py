"""Writes a C program that calls every public function with NULL and nonsense. The functions are taken from the
headers, so that a new one is called without anybody thinking of it.

    python3 api.py HEADER... > test_api_calls.c

A pointer to something the test has (a scene, a model, a simulation, ...) is NULL or that thing; other pointers are
NULL or a block of zeros. Each function is called with everything NULL and each kind of number, then with one
pointer NULL at a time. What frees a thing is only called with NULL. Beside counts that would let a function read
beyond a block (those are the caller's promise), any number goes with any pointer."""
import re
import sys

# Types of functions, and opaque ones that the test has none of, found in the headers: a block of zeros is none of them.
FUNCTIONS = {'function'}
THINGS = ['vxe_scene', 'vxe_model', 'vxe_sim', 'vxe_trace', 'vxe_mesh', 'vxe_observer', 'vxe_notes', 'vxe_history',
          'vxe_trajectory', 'vxe_skin', 'vxe_linear', 'vxe_modes']


def declarations(text):
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    for match in re.finditer(r'VXE_API\s+(.*?)\(([^;]*)\)\s*;', text, flags=re.S):
        head = ' '.join(match.group(1).split())
        name = re.search(r'(\w+)$', head).group(1)
        inner = ' '.join(match.group(2).split())
        yield name, [] if inner == 'void' else split(inner)


def split(inner):
    """At the commas outside of brackets."""
    parts, depth = [''], 0
    for c in inner:
        depth += (c == '(') - (c == ')')
        if c == ',' and depth == 0:
            parts.append('')
        else:
            parts[-1] += c
    return [p.strip() for p in parts]


def kind(parameter):
    """(class, type) of a parameter: 'thing', 'slot' (pointer to pointer), 'text', 'block', 'real', 'whole', 'struct'."""
    if '(' in parameter:
        return 'block', 'function'
    array = re.search(r'\[[^\]]*\]', parameter)
    pointers = parameter.count('*') + (1 if array else 0)
    bare = re.sub(r'\[[^\]]*\]|\*|\bconst\b', ' ', parameter).split()
    base = bare[0] if len(bare) < 3 else ' '.join(bare[:-1])
    if pointers >= 2:
        return 'slot', base
    if pointers == 1:
        if base in THINGS and not array:
            return 'thing', base
        return ('text' if base == 'char' and 'const' in parameter else 'block'), base
    if base in ('double', 'float'):
        return 'real', base
    if base in ('bool', 'int', 'size_t', 'unsigned', 'int32_t', 'int64_t', 'uint32_t', 'uint64_t', 'long', 'uint8_t'):
        return 'whole', base
    return 'enum', base


def value(parameter, given, number, real):
    what, base = kind(parameter)
    if what == 'real':
        return real
    if what == 'whole':
        if given and base == 'size_t' and number == '-1':
            number = '1'  # the size of a block is the caller's promise
        return '(%s)(%s)' % (base, number)
    if what == 'enum':
        return '(%s)(%s)' % (base, number)
    if not given or base in FUNCTIONS:
        return 'NULL'
    if what == 'thing':
        return 'f->%s' % base[4:]
    if what == 'text':
        return '"nonsense"'
    return '(void *)f->block'


def main():
    functions = []
    for path in sys.argv[1:]:
        text = open(path, encoding='utf-8').read()
        FUNCTIONS.update(re.findall(r'typedef\s+[\w\s*]+?\(?\*?(\w+)\)?\s*\([^;{]*\)\s*;', text))
        FUNCTIONS.update(set(re.findall(r'typedef struct (\w+) \1;', text)) - set(THINGS))
        functions += list(declarations(text))
    print('/* Made by api.py. */\n#include "api_calls.h"\n')
    for name, parameters in functions:
        frees = re.search(r'_(destroy|free)$', name) is not None
        pointers = [i for i, p in enumerate(parameters) if kind(p)[0] in ('thing', 'slot', 'text', 'block')]
        print('static void call_%s(fixture *f)\n{\n    (void)f;' % name)
        calls = []
        for number in ('0', '-1', 'INT32_MAX'):
            for real in ('0.0', 'NAN', '-1e300'):
                calls.append([value(p, False, number, real) for p in parameters])
        if not frees:
            for missing in [None] + pointers:
                for number in ('0', '1', '-1'):
                    for real in ('0.0', 'NAN', '1e300'):
                        calls.append([value(p, i != missing, number, real) for i, p in enumerate(parameters)])
        seen = set()
        for arguments in calls:
            line = '    clean(f);\n    (void)%s(%s);' % (name, ', '.join(arguments))
            if line not in seen:
                seen.add(line)
                print(line)
        print('}\n')
    print('const api_call api_calls[] = {')
    for name, _ in functions:
        print('    {"%s", call_%s},' % (name, name))
    print('};\nconst int api_call_count = %d;' % len(functions))


main()

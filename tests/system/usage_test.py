#!/usr/bin/env -S python3 -B
"""What can't be made sense of: one line, once, exit code 2. What is asked for: once, exit code 0."""
import os
import shlex
import signal
import subprocess
import tempfile

from harness import BIN, FABRICS, HANG, expect, mpiexec, run, run_words

WRONG = [  # arguments, environment, what the line must name
    (["fib", "20", "--trawl:bogus"], {}, "--trawl:bogus"),
    (["fib", "20", "--trawl:bogus=3"], {}, "--trawl:bogus"),
    (["fib", "20", "--trawl:wokers=3"], {}, "did you mean --trawl:workers?"),
    (["fib", "20", "-trawl:stats"], {}, "did you mean --trawl:stats?"),
    (["fib", "20", "--trawl-stats"], {}, "did you mean --trawl:stats?"),
    (["fib", "20", "--trawl", "stats"], {}, "did you mean --trawl:stats?"),
    (["fib", "20", "--trawl=stats"], {}, "did you mean --trawl:stats?"),
    (["fib", "20", "--Trawl:stats"], {}, "did you mean --trawl:stats?"),
    (["fib", "20"], {"TRAWL_WOKERS": "3"}, "did you mean TRAWL_WORKERS?"),
    (["fib", "20"], {"TRAWL_BOGUS": "3"}, "TRAWL_BOGUS is no flag"),
    (["fib", "20", "--trawl:workers=193"], {}, "192"),
    (["fib", "20", "--trawl:workers=abc"], {}, "--trawl:workers"),
    (["fib", "20", "--trawl:workers=-1"], {}, "--trawl:workers"),
    (["fib", "20", "--trawl:workers="], {}, "--trawl:workers=N"),
    (["fib", "20", "--trawl:trace"], {}, "--trawl:trace=DIR"),
    (["fib", "20", "--trawl:stats-file=/proc/no/such/place"], {}, "/proc/no/such/place: "),
    (["fib", "20", "--trawl:thread-limit=0"], {}, "--trawl:thread-limit"),
    (["fib", "20", "--trawl:stack-size=8X"], {}, "--trawl:stack-size"),
    (["fib", "20", "--trawl:heap=1"], {}, "--trawl:heap"),
    (["fib", "20", "--trawl:heap"], {}, "--trawl:heap"),
    (["fib", "20", "--trawl:policy=best"], {}, "--trawl:policy"),
    (["fib", "20", "--trawl:silence=nan"], {}, "--trawl:silence"),
    (["fib", "20", "--trawl:stats=xml"], {}, "--trawl:stats"),
    (["fib", "20", "--trawl:trace=/proc/no/such/place"], {}, "/proc/no/such/place"),
    (["fib", "20"], {"TRAWL_WORKERS": "abc"}, "TRAWL_WORKERS: abc is no number"),
    (["fib", "20"], {"TRAWL_POLICY": "best"}, "TRAWL_POLICY"),
    (["fib"], {}, "N is required"),
    (["fib", "x"], {}, "x"),
    (["fib", "-1"], {}, "-1"),
    (["fib", "91"], {}, "91"),
    (["fib", "20", "--cutoff"], {}, "--cutoff"),
    (["fib", "20", "30"], {}, "30"),
    (["fib", "20", "--check", "--sequential"], {}, "--sequential"),
    (["fib", "20", "--bogus"], {}, "--bogus"),
    (["fib", "--bogus"], {}, "not expected: --bogus"),
    (["sum_euler", "1e3"], {}, "1e3 is no whole number"),
    (["queens", "010"], {}, "010 begins with a 0"),
    (["lin_solv", "--random", "-07"], {}, "-07 begins with a 0"),
    (["galaxy", "--sequential", "--report"], {}, "--sequential"),
    (["galaxy", "--sequential", "--frames", "folder"], {}, "--sequential"),
    (["fib", "20", "--trawl:stack-size=037K"], {}, "037K begins with 0"),
    (["fib", "20", "--trawl:workers=1.5"], {}, "1.5 is no whole number"),
    (["fib", "20"], {"TRAWL_LOW_WATERMARK": "1e3"}, "1e3 is no whole number"),
    (["fib", "20", "--trawl:key=abc"], {}, "is not 64 hexadecimal digits"),
    (["heat", "--sequential", "--checkpoint", "file"], {}, "--sequential"),
    (["heat", "--every", "3"], {}, "--every requires --checkpoint"),
    (["barnes_hut", "plummer", "--sequential", "--checkpoint", "file"], {}, "--sequential"),
    (["heat", "--checkpoint", ""], {}, "--checkpoint: is empty"),
    (["tsp", "berlin52.tsp", "--seed", "3"], {}, "--seed requires --random"),
    (["barnes_hut", "plummer", "--view", "3"], {}, "--view requires --frames"),
    (["barnes_hut", "bodies.txt", "--seed", "3"], {}, "bodies.txt is a file"),
    (["barnes_hut", "bodies.txt", "--bodies", "3"], {}, "bodies.txt is a file"),
    (["galaxy", "--frame-every", "3"], {}, "--frame-every requires --frames"),
    (["sample_sort", "--numbers", "-18446744073709551606"], {}, "-18446744073709551606 not in range"),
    (["sample_sort", "--seed", "-1"], {}, "-1 not in range"),
    (["barnes_hut", "plummer", "--kernel", "bogus"], {}, "there is no kernel bogus here, but best, "),
    (["queens", "8", "9", "10"], {}, "9 10"),
    (["queens", "0"], {}, "0"),
    (["queens", "21"], {}, "21"),
    (["queens", "8", "--cutoff", "-1"], {}, "--cutoff"),
    (["sum_euler", "99999999999999999999"], {}, "99999999999999999999"),
    (["sum_euler", "100", "--chunk", "0"], {}, "--chunk"),
    (["integrate", "--epsilon", "0"], {}, "not in range 1e-15 to 1000000 "),
    (["integrate", "--epsilon", "nan"], {}, "nan is no number"),
    (["tsp", "--random", "0"], {}, "not in range 1 to 200 "),
    (["tsp", "--random", "201"], {}, "not in range 1 to 200 "),
    (["galaxy", "--sync", "bogus"], {}, "--sync: bogus not in {naive,ring}"),
    (["galaxy", "--sync", "0"], {}, "--sync: 0 not in {naive,ring}"),
    (["galaxy", "--balance", "x"], {}, "--balance: x not in {even,prefix,prefix-time,time}"),
    (["raytracer", "any.scene", "--simd", "bogus"], {}, "--simd: bogus not in {avx2,avx512,best,portable}"),
    (["lin_solv", "--instructions", "0"], {}, "--instructions: 0 not in {avx2,avx512,best,portable}"),
]

for pes in 0, 1, 3:
    for words, env, named in WRONG:
        result = run(pes, *words, env=env)
        expect(result.code == 2, "expected exit code 2", result)
        expect(result.out == "", "expected nothing on standard output", result)
        expect(result.err.count("\n") == 1 and result.err.endswith("\n"),
               "expected one line on standard error", result)
        expect(named in result.err, f"expected a line that names {named}", result)

ASKED = [("--trawl:help", "--trawl:stack-size", 1), ("--trawl:version", "trawl 0.", 1),
         ("--help", "--check", 2), ("--version", "Trawl 0.", 1)]
for fabric in FABRICS.values():
    for pes in 0, 1, 3:
        for flag, part, least in ASKED:
            result = run(pes, "queens", flag, env=fabric)
            expect(result.code == 0 and result.err == "", "expected exit code 0", result)
            expect(result.out.count(part) == least, f"expected {part} {least} times", result)

result = run_words(os.path.join(BIN, "raytracer"), "--help")
expect("--simd TEXT:{avx2,avx512,best,portable}" in result.out, "expected plain names", result)
# The command line is above the environment.
result = run(2, "fib", "20", "--trawl:policy=random", env={"TRAWL_POLICY": "targeted"})
expect(result.code == 0 and result.out == "6765\n", "expected 6765", result)
result = run(0, "heat", "--rows", "8", "--columns", "8", "--checkpoint", "x" * 300)
expect(result.code == 2 and "File name too long" in result.err, "expected the cause", result)
result = run(0, "barnes_hut", "plummer", "--bodies", "100", "--steps", "1", "--out", "/dev/full")
expect(result.code == 2 and "barnes_hut: /dev/full: No space left" in result.err, "expected the cause", result)
# What cannot be written is not lost in silence.
for words, lost in (("fib 20", ">/dev/full"), ("fib 20", ">&-"), ("fib 20 --sequential", ">/dev/full"),
                    ("fib --help", ">/dev/full"), ("fib --trawl:help", ">/dev/full"),
                    ("fib 20 --trawl:stats-file=/dev/full", ""),
                    *((f"trawl-run -n {pes} {shlex.quote(BIN)}/fib 20", lost)
                      for pes in (1, 2) for lost in (">/dev/full", ">&-")),
                    *((f"{tool} {flag}", lost) for tool in ("trawl-profile", "trawl-run", "trawl-tune")
                      for flag in ("--help", "--version") for lost in (">/dev/full", ">&-"))):
    result = run_words("sh", "-c", f"exec {shlex.quote(BIN)}/{words} {lost}")
    expect(result.code > 0, "expected an exit code that tells of failure", result)
    expect("could not be written" in result.err or "cannot write " in result.err, "expected the cause", result)
result = run_words("sh", "-c", f"exec {shlex.quote(BIN)}/fib 20 --trawl:stats=json 2>/dev/full")
expect(result.code == 1 and result.out == "6765\n", "expected an exit code that tells of lost statistics", result)
result = run_words("sh", "-c", f"exec {shlex.quote(BIN)}/trawl-run -n 2 {shlex.quote(BIN)}/fib 20 2>&-")
expect(result.code == 0 and result.out == "6765\n", "expected 6765", result)
# Who has seen enough ends the run, as without a launcher.
result = run_words("bash", "-c", f"{shlex.quote(BIN)}/trawl-run -n 2 {shlex.quote(BIN)}/fib 20 | true; "
                                 "exit ${PIPESTATUS[0]}")
expect(result.code in (0, 128 + 13), "expected the end by SIGPIPE, or none", result)
# Also if it is written when the main PE has ended and been reaped; a failure remains one.
read_end, write_end = os.pipe()
os.close(read_end)
for code, expected in ((0, -signal.SIGPIPE), (3, 3)):
    with tempfile.NamedTemporaryFile() as main:
        words = (os.path.join(BIN, "trawl-run"), "-n", "2", "sh", "-c",
                 f'{shlex.quote(BIN)}/fib 20 >/dev/null; if [ "$TRAWL_PES" ]; then echo $$ >{main.name}; exit {code}; fi;'
                 f"until [ -s {main.name} ] && ! kill -0 $(cat {main.name}) 2>&-; do sleep 0.01; done; echo late")
        ended = subprocess.run(words, stdout=write_end, timeout=HANG).returncode
        expect(ended == expected, f"expected the exit code {expected} of {words}, not {ended}", "")
os.close(write_end)
result = run_words(os.path.join(BIN, "trawl-run"), "-n", 2, "--", os.path.join(BIN, "fib"), "20")
expect(result.code == 0 and result.out == "6765\n", "expected 6765", result)
for words, cause in ((("-n", 2, "/tmp"), "Is a directory"),
                     (("-n", 2, "mpiexec", "-n", 2, os.path.join(BIN, "fib"), 20), "mpiexec would start the PEs as well"),
                     (("--hosts", "/tmp", os.path.join(BIN, "fib")), "Is a directory"),
                     (("--wait", "--port", 99999, os.path.join(BIN, "fib"), 20), "not in range 0 to 65535 ")):
    result = run_words(os.path.join(BIN, "trawl-run"), *words)
    expect(result.code == 2 and cause in result.err and result.err.count("\n") == 1, "expected the cause", result)

# PEs that are told different things do not wait for each other.
fib = os.path.join(BIN, "fib")
for one, other in ((["20"], ["21"]), (["20"], ["20", "--trawl:help"]), (["20", "--trawl:version"], ["20"]),
                   (["20"], ["20", "--trawl:policy=random"]), (["20", "--check"], ["20"])):
    result = run_words(*mpiexec(1), fib, *one, ":", "-n", 2, fib, *other)
    expect(result.code == 2 and result.out == "", "expected exit code 2", result)
    expect("was started with other arguments" in result.err and result.err.count("\n") == 1,
           "expected one line that says so", result)
result = run_words(*mpiexec(1), fib, "20", "--trawl:speed=2", ":", "-n", 1, fib, "20", "--trawl:workers=2",
                   "--trawl:heap=1G", "--trawl:cluster=far")
expect(result.code == 0 and result.out == "6765\n", "expected 6765", result)
result = run_words(*mpiexec(1), fib, "20", ":", "-n", 1, fib, "20", "--trawl:trace=/proc/no/such/place")
expect(result.code == 2 and "/proc/no/such/place" in result.err, "expected what PE 1 says", result)
print(f"{3 * len(WRONG)} refused, {6 * len(ASKED)} answered")

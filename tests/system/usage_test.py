#!/usr/bin/env -S python3 -B
"""What can't be made sense of: one line, once, exit code 2. What is asked for: once, exit code 0."""
from harness import FABRICS, expect, run

WRONG = [  # arguments, environment, what the line must name
    (["fib", "20", "--trawl:bogus"], {}, "--trawl:bogus"),
    (["fib", "20", "--trawl:bogus=3"], {}, "--trawl:bogus"),
    (["fib", "20", "--trawl:workers=abc"], {}, "--trawl:workers"),
    (["fib", "20", "--trawl:workers=-1"], {}, "--trawl:workers"),
    (["fib", "20", "--trawl:workers="], {}, "--trawl:workers"),
    (["fib", "20", "--trawl:thread-limit=0"], {}, "--trawl:thread-limit"),
    (["fib", "20", "--trawl:stack-size=8X"], {}, "--trawl:stack-size"),
    (["fib", "20", "--trawl:heap=1"], {}, "--trawl:heap"),
    (["fib", "20", "--trawl:heap"], {}, "--trawl:heap"),
    (["fib", "20", "--trawl:policy=best"], {}, "--trawl:policy"),
    (["fib", "20", "--trawl:silence=nan"], {}, "--trawl:silence"),
    (["fib", "20", "--trawl:stats=xml"], {}, "--trawl:stats"),
    (["fib", "20", "--trawl:trace=/proc/no/such/place"], {}, "/proc/no/such/place"),
    (["fib", "20"], {"TRAWL_WORKERS": "abc"}, "--trawl:workers"),
    (["fib", "20"], {"TRAWL_POLICY": "best"}, "--trawl:policy"),
    (["fib"], {}, "N is required"),
    (["fib", "x"], {}, "x"),
    (["fib", "-1"], {}, "-1"),
    (["fib", "91"], {}, "91"),
    (["fib", "20", "--cutoff"], {}, "--cutoff"),
    (["fib", "20", "30"], {}, "30"),
    (["fib", "20", "--check", "--sequential"], {}, "--sequential"),
    (["fib", "20", "--bogus"], {}, "--bogus"),
    (["queens", "0"], {}, "0"),
    (["queens", "21"], {}, "21"),
    (["queens", "8", "--cutoff", "-1"], {}, "--cutoff"),
    (["sum_euler", "99999999999999999999"], {}, "99999999999999999999"),
    (["sum_euler", "100", "--chunk", "0"], {}, "--chunk"),
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

# The command line is above the environment.
result = run(2, "fib", "20", "--trawl:policy=random", env={"TRAWL_POLICY": "targeted"})
expect(result.code == 0 and result.out == "6765\n", "expected 6765", result)
print(f"{3 * len(WRONG)} refused, {6 * len(ASKED)} answered")

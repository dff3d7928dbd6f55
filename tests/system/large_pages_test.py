#!/usr/bin/env -S python3 -B
"""What is new in the heap lies in large pages, where the system gives them to who asks: a page of 4 KiB costs a page
fault, and those cost more than sorting numbers takes."""
import resource
import sys

from harness import expect, run

CHOICE = "/sys/kernel/mm/transparent_hugepage/enabled"
try:
    with open(CHOICE) as file:
        given = "[never]" not in file.read()
except OSError:
    given = False
if not given:
    print(f"skipped: this system has no large pages ({CHOICE})")
    sys.exit(77)

before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
result = run(0, "sample_sort", "--numbers", "10000000", "--trawl:workers=1")
expect(result.code == 0, "sorts", result)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
touched = (usage.ru_minflt - before) * resource.getpagesize()
expect(touched < usage.ru_maxrss * 1024 / 2, "less than half in small pages: "
       f"{touched >> 20} of {usage.ru_maxrss >> 10} MiB", result)
print("large pages: most of the heap")

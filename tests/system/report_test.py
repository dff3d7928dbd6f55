#!/usr/bin/env -S python3 -B
"""trawl-profile --html: one page that needs no network, draws, zooms, and is used by mouse and by keys.
77 where no Chromium is installed."""
import json
import os
import subprocess
import sys
import tempfile

from harness import BIN, expect, run
from browser import CHROMIUM, Browser

GRID = {"clusters": [{"name": "fast", "pes": 2}, {"name": "slow", "pes": 2, "speed": 0.5}],
        "between": {"latency": "1 ms", "bandwidth": "1 MB/s"}}
EVIL = "evil</script><script>document.title='taken over'</script>"


def profile(*words, code=0):
    done = subprocess.run([os.path.join(BIN, "trawl-profile"), *words], text=True, capture_output=True)
    if done.returncode != code:
        sys.exit(f"FAILED: trawl-profile {words}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    return done


def check(condition, what, more=""):
    if not condition:
        sys.exit(f"FAILED: {what} {more}")


def check_output(logs, page):
    """What needs no browser."""
    report = json.loads(profile(logs, "--summary-only", "--json", "--html", page).stdout)["report"]
    check(abs(sum(report["shares"].values()) - 1) < 1e-6, "the shares do not add up", report["shares"])
    check(any("solutions" in each["function"] for each in report["functions"]), "no function", report)
    path = report["critical_path"]
    check(path["run"] > 0 and path["from_pe_to_pe"] > 0, "no critical path", path)
    check(all(0 <= each < path["run"] + path["queue"] + path["travel"] for each in path["shorter"].values()),
          "it could be shorter by more than it is long", path)
    check(report["words"] in " ".join(profile(logs, "--summary-only").stdout.split()), "not the same words")
    check(os.path.getsize(page) < 5e6, f"{os.path.getsize(page)} bytes")
    nowhere = profile(logs, "--summary-only", "--html", os.path.join(logs, "no/such/place.html"), code=2)
    check(nowhere.stderr.count("\n") == 1 and "--html" in nowhere.stderr, "expected one line", nowhere.stderr)
    for read in "pe-0000.trawl", "codes.txt":
        over = profile(logs, "--summary-only", "--html", os.path.join(logs, read), code=2)
        check(over.stderr.count("\n") == 1 and "would destroy" in over.stderr, "expected a refusal", over.stderr)
    links = profile(logs, "--summary-only").stdout
    check("messages, by link" in links and "values, by function" in links, "no table of links, or of values", links)
    check(all(len(link["mean_over_time"]) == 100 for link in report["links"]), "links are not told over time")
    carries = [link["carries_bytes_per_s"] for link in report["links"] if link["from"] != link["to"]]
    check(len(carries) == 2 and all(0.9e6 < each < 1.1e6 for each in carries), "links of 1 MB/s carry", carries)
    check(all((link["busy"] is None) == (link["from"] == link["to"]) for link in report["links"]), "how busy is a link?")
    for window in ["--to", "0"], ["--from", "1", "--to", "0.5"], ["--to", "1e-10"]:
        refused = profile(logs, "--summary-only", *window, code=2).stderr
        check(refused.count("\n") == 1 and "--to" in refused, "expected one line", refused)
    both = json.loads(profile(logs, "--beside", logs, "--json").stdout)
    check(all(each["first"] == each["second"] for each in both["quantities"]), "changed beside itself", both)
    check("from A to B" in profile(logs, "--beside", logs).stdout, "no table of two runs")
    refused = profile(logs, "--beside", logs, "--html", page, code=2).stderr
    check(refused.count("\n") == 1 and "--beside" in refused, "expected one line", refused)
    start = profile(logs, "--summary-only", "--to", "1e-9").stdout
    check("threads: 0 of sparks from here, 0 of sparks from other PEs" in start, "no threads, no mean", start)
    if os.path.exists("/dev/full"):
        for flag in "--html", "--svg", "--png":
            full = profile(logs, flag, "/dev/full", code=2).stderr
            check(full.count("\n") == 1 and "/dev/full: No space left on device" in full, "expected the cause", full)


def check_without_lines(folder, grid):
    """Of a program without line numbers nothing is said, though Trawl's own have some."""
    with open("/proc/cpuinfo", encoding="ascii") as cpus:
        if " avx2 " not in cpus.read():
            return
    logs = os.path.join(folder, "logs_without_lines")
    result = run(0, "tests/queens_for_v3", "11", "--trawl:simulate=" + grid, "--trawl:trace=" + logs)
    expect(result.code == 0, "expected exit code 0", result)
    functions = json.loads(profile(logs, "--summary-only", "--json").stdout)["report"]["functions"]
    check(functions and all(not each["made_at"] for each in functions), "places are said to make sparks", functions)


def check_shorter(folder, grid):
    """What it says of twice the workers is about what they make of a program with much more work than messages."""
    logs = os.path.join(folder, "logs_of_one")
    took = []
    for workers in 1, 2:
        for cluster in grid["clusters"]:
            cluster["workers"] = workers
        path = os.path.join(folder, f"workers-{workers}.json")
        with open(path, "w") as file:
            json.dump(grid, file)
        result = run(0, "sum_euler", "4000", "--trawl:simulate=" + path, *(["--trawl:trace=" + logs] if workers == 1 else []))
        expect(result.code == 0 and "simulated: " in result.err, "expected how long it took", result)
        took.append(float(result.err.split("simulated: ")[1].split()[0]))
    said = json.loads(profile(logs, "--summary-only", "--json").stdout)["report"]["critical_path"]["shorter"]["more_workers"]
    saved = took[0] - took[1]
    check(0.5 * saved < said < 1.5 * saved, f"said to be shorter by {said} s, it was by {saved} s, of", took)


def colours(browser):
    """How many different ones are in the timeline, outside of its labels."""
    return browser.value("""(() => {
        const {canvas} = timeline, ratio = canvas.width / canvas.clientWidth;
        const left = Math.ceil(timeline.left * ratio), top = Math.ceil(timeline.top * ratio);
        const {data} = canvas.getContext('2d').getImageData(left, top, canvas.width - left, canvas.height - top);
        return new Set(new Uint32Array(data.buffer)).size;})()""")


def shown(browser):
    return browser.value("timeline.to - timeline.from")


def said(browser):
    return browser.value("document.getElementById('what').textContent")


def check_keys(browser):
    browser.value("document.getElementById('timeline').focus()")
    everything = shown(browser)
    browser.press("+")
    check(shown(browser) < 0.7 * everything, "+ does not zoom in")
    begin = browser.value("timeline.from")
    browser.press("ArrowRight")
    check(browser.value("timeline.from") > begin, "ArrowRight does not move")
    browser.press("ArrowLeft")
    check(abs(browser.value("timeline.from") - begin) < 1e-6 * everything, "ArrowLeft does not move back")
    browser.press("-")
    check(abs(shown(browser) - everything) < 1e-6 * everything, "- does not zoom out")
    browser.press("+")
    browser.press("0")
    check(shown(browser) == everything, "0 does not show everything")
    first = said(browser)
    check(first.startswith("PE 0 at"), "the first row does not say what it is:", first)
    browser.press("ArrowDown")
    browser.press("n")
    check("worker 0: thread" in said(browser) and "runs from" in said(browser), "n finds no thread:", said(browser))
    before = said(browser)
    browser.press("n")
    check(said(browser) != before, "n stays where it is")
    browser.press("p")
    check(said(browser) == before, "p does not go back")


def check_links(browser):
    """A row each, below the PEs: from A to B and back, and inside of both."""
    links = browser.value("rows.filter(row => row.link).map(row => row.label)")
    check(sorted(links) == ["fast to slow", "fast, inside", "slow to fast", "slow, inside"], "the timeline has other links:", links)
    browser.value("timeline.row = rows.length - 1")
    browser.press("ArrowDown")
    check(said(browser).startswith("Messages ") and "a second" in said(browser), "a link says nothing:", said(browser))
    browser.value("timeline.row = 0")


def check_mouse(browser):
    browser.press("0")
    browser.value("timeline.canvas.scrollIntoView({block: 'center'})")
    browser.drawn()
    place = browser.value("""(() => {
        const box = timeline.canvas.getBoundingClientRect(), row = rows.find(each => each.lane !== undefined);
        const i = [...slices.length.slice(firstOfLane[row.lane], firstOfLane[row.lane + 1]).entries()]
            .sort((a, b) => b[1] - a[1])[0][0] + firstOfLane[row.lane];
        return [box.left + xOf(slices.begin[i] + slices.length[i] / 2), box.top + middle(row)];})()""")
    browser.mouse("mouseMoved", *place)
    tip = browser.value("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")
    check("worker 0: thread" in tip and ("solutions" in tip or "root" in tip), "hovering says nothing:", tip)
    everything = shown(browser)
    browser.mouse("mouseWheel", *place, deltaX=0, deltaY=-600)
    check(shown(browser) < 0.7 * everything, "the wheel does not zoom")
    begin = browser.value("timeline.from")
    browser.mouse("mousePressed", *place, button="left", clickCount=1)
    browser.mouse("mouseMoved", place[0] - 100, place[1], button="left", buttons=1)
    browser.mouse("mouseReleased", place[0] - 100, place[1], button="left", clickCount=1)
    check(browser.value("timeline.from") > begin, "dragging does not move")


def check_page(browser, page):
    browser.open(page)
    check("queens on 4 PEs" in browser.value("document.title"), "it has another title:", browser.value("document.title"))
    check(colours(browser) > 5, f"the timeline has {colours(browser)} colours only")
    for id in "words", "shares", "functions", "path", "lengths", "fish", "beliefs", "latencies", "rates", "links", "pes", "notes":
        check(browser.value(f"document.getElementById('{id}').innerText.trim().length") > 10, f"nothing is in {id}")
    check(browser.value("document.querySelectorAll('#over-time svg path').length") >= 2, "nothing over time")
    unnamed = browser.value("""[...document.querySelectorAll('svg, canvas, [role=img]')]
        .filter(each => !each.getAttribute('aria-label')).length""")
    check(unnamed == 0, f"{unnamed} pictures have no label")
    check_keys(browser)
    check_links(browser)
    check_mouse(browser)
    browser.value("document.querySelector('#pes th button').click()")
    check(browser.value("document.querySelector('#pes th').getAttribute('aria-sort')"), "tables do not sort")
    light = browser.value("getComputedStyle(document.body).backgroundColor")
    browser.dark(True)
    check(browser.value("getComputedStyle(document.body).backgroundColor") != light, "dark is not dark")
    check(colours(browser) > 5, "the timeline is not drawn in the dark")
    browser.dark(False)


def check_evil(browser, logs, page):
    """Names stay text; damage is said on the page."""
    with open(os.path.join(logs, "codes.txt"), "rb") as file:
        lines = file.read().count(b"\n")
    with open(os.path.join(logs, "codes.txt"), "wb") as file:
        file.write((EVIL.encode() + b"\xff\xc3\n") * lines)
    log = os.path.join(logs, "pe-0001.trawl")
    os.truncate(log, os.path.getsize(log) * 2 // 3 // 8 * 8 - 4)
    done = profile(logs, "--summary-only", "--html", page, code=1)
    check(done.stderr.count("\n") == 2 and log in done.stderr and "codes.txt" in done.stderr,
          "expected a line each", done.stderr)
    browser.open(page)
    check("queens" in browser.value("document.title"), "a name of the log has become a script")
    names = browser.value("[...document.querySelectorAll('#functions td')].map(each => each.title)")
    check(any(name.startswith(EVIL) for name in names), "the name is not shown:", names)
    check(log in browser.value("document.getElementById('damage').textContent"), "the damage is not said")
    check(colours(browser) > 5, "what is readable is not drawn")


def main():
    with tempfile.TemporaryDirectory() as folder:
        grid, logs, page = (os.path.join(folder, name) for name in ("grid.json", "logs", "report.html"))
        with open(grid, "w") as file:
            json.dump(GRID, file)
        result = run(0, "queens", "11", "--trawl:simulate=" + grid, "--trawl:trace=" + logs)
        expect(result.code == 0, "expected exit code 0", result)
        check_output(logs, page)
        check_without_lines(folder, grid)
        check_shorter(folder, GRID)
        if CHROMIUM is None:
            print("no Chromium is installed: the page was not looked at")
            sys.exit(77)
        with Browser() as browser:
            check_page(browser, page)
            check_evil(browser, logs, page)
            check(browser.faults == [], "the page has errors:", browser.faults)
            others = [url for url in browser.requests if url != "file://" + page and not url.startswith("data:")]
            check(others == [], "the page asks for more than itself:", others)
    print("all right")


main()

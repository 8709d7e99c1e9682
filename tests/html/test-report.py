#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-report.py RIG HTML_STORE OUT - the page of rig compare --html in a real browser.

Loads it in headless Chromium and holds it to what rig compare --json prints; searches and sorts;
leaves pictures of it in OUT for people to look at.
"""
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from browser import Browser

RIG, HTML_STORE, OUT = (os.path.abspath(word) for word in sys.argv[1:4])
HOSTILE = "</style></script><script>window.hacked=1</script><img src=x onerror=\"h()\">'&"


def find_browser():
    for name in ("chromium", "chromium-browser", "chromium-shell", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    sys.exit("no Chromium: scripts/install-packages check installs it")


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="rig-html-store-")
        subprocess.run([HTML_STORE, cls.folder], check=True)
        cls.page = os.path.join(cls.folder, "report.html")
        cls.rig("compare", "base", "head", "--html", cls.page)
        cls.data = json.loads(cls.rig("compare", "base", "head", "--json"))
        cls.browser = Browser(find_browser())
        cls.browser.open(cls.page)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        shutil.rmtree(cls.folder)

    @classmethod
    def rig(cls, *words):
        place = {**os.environ, "RIG_STATE_DIR": cls.folder, "LC_ALL": "C.UTF-8"}
        done = subprocess.run([RIG, *words], env=place, stdout=subprocess.PIPE, text=True)
        # A regression is an answer, no failure: the fixture has one.
        if done.returncode not in (0, 1):
            raise AssertionError(f"rig {words}: exit {done.returncode}")
        return done.stdout

    def ask(self, script):
        return self.browser.ask(script)

    def setUp(self):
        self.choose("hit")
        self.search("")

    def search(self, text):
        self.ask(f"""(() => {{ const field = document.getElementById("search");
            field.value = {json.dumps(text)}; field.dispatchEvent(new Event("input")); }})()""")

    def choose(self, what):
        self.ask(f"""(() => {{ const field = document.getElementById("show");
            field.value = {json.dumps(what)}; field.dispatchEvent(new Event("change")); }})()""")

    def visible(self):
        return self.ask("""Array.from(document.querySelectorAll("#table tbody tr"))
            .filter((row) => row.offsetParent !== null).map((row) => row.dataset.metric)""")

    def sort_by(self, column):
        """Click the heading; the visible cells of that column afterwards, numbers as numbers."""
        return self.ask(f"""(() => {{
            document.querySelectorAll("#table thead button")[{column}].click();
            return Array.from(document.querySelectorAll("#table tbody tr"))
                .filter((row) => row.offsetParent !== null)
                .map((row) => row.cells[{column}])
                .map((cell) => "v" in cell.dataset
                    ? (cell.dataset.v === "" ? null : Number(cell.dataset.v)) : cell.textContent);
            }})()""")

    def test_loads_in_peace(self):
        self.browser.open(self.page)
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual([u for u in self.browser.requests() if not u.startswith(("file:", "data:"))], [])
        self.assertEqual(len([u for u in self.browser.requests() if u.startswith("file:")]), 1)
        self.assertGreater(self.ask("document.querySelectorAll('svg.chart').length"), 10)

    def test_complaints_are_heard(self):
        """The test above would see an error, and a script that the policy does not name."""
        self.browser.open(self.page)
        self.ask("""(() => { const s = document.createElement("script");
            s.textContent = "window.smuggled = 1"; document.body.append(s);
            setTimeout(() => { throw new Error("on purpose"); }); })()""")
        self.ask("new Promise((done) => setTimeout(done, 100))")
        text = json.dumps(self.browser.complaints())
        self.assertIn("on purpose", text)
        self.assertIn("Content Security Policy", text)
        self.assertTrue(self.ask("window.smuggled === undefined"))
        self.browser.open(self.page)

    def test_data_is_that_of_json(self):
        data = json.loads(self.ask("document.getElementById('data').textContent"))
        self.assertEqual(data, self.data)

    def expect_same(self, shown, wanted, what):
        if wanted is None:
            self.assertEqual(shown, "", what)
        else:
            self.assertEqual(float(shown), float(wanted), what)

    def test_numbers_are_those_of_json(self):
        rows = self.ask("""Object.fromEntries(Array.from(document.querySelectorAll("tr[data-metric]"))
            .map((row) => [row.dataset.metric, {
                mean: Array.from(row.querySelectorAll("td.mean")).map((cell) => cell.dataset.v),
                sd: Array.from(row.querySelectorAll("td.sd")).map((cell) => cell.dataset.v),
                change: row.querySelector("td.change").dataset.v }]))""")
        self.assertEqual(sorted(rows), sorted(m["name"] for m in self.data["metrics"]))
        for metric in self.data["metrics"]:
            row = rows[metric["name"]]
            spread = "sd" if metric["kind"] == "percentage" else "cv_percent"
            for i, side in enumerate(metric["sides"]):
                self.expect_same(row["mean"][i], side["mean"], metric["name"])
                self.expect_same(row["sd"][i], side[spread], metric["name"])
            change = metric["changes"][0]
            if change["kind"] in ("percent", "points"):
                self.expect_same(row["change"], change["value"], metric["name"])

    def test_shown_text_is_the_number_rounded(self):
        cells = self.ask("""Array.from(document.querySelectorAll("td.mean"))
            .map((cell) => [cell.dataset.v, cell.textContent])""")
        self.assertGreater(len(cells), 15)
        for exact, text in cells:
            if exact:
                self.assertTrue(math.isclose(float(text), float(exact), rel_tol=6e-4), (exact, text))

    def test_every_run_is_there(self):
        runs = self.ask("""Object.fromEntries(Array.from(document.querySelectorAll("tr[data-run]"))
            .map((row) => [row.dataset.run, (row.querySelector("td.value") || {dataset: {}}).dataset.v]))""")
        primary = next(m for m in self.data["metrics"] if m["primary"])
        for side, values in zip(self.data["sides"], primary["sides"]):
            for run, value in zip(side["runs"], values["values"]):
                self.expect_same(runs.pop(run["id"]), value, run["id"])
        self.assertEqual(runs, {})
        # And in the first figure each whole run is a dot that says which it is.
        titles = self.ask("""Array.from(document.querySelector("#metrics svg")
            .querySelectorAll(".dot title")).map((title) => title.textContent.split(":")[0])""")
        whole = [r["id"] for s in self.data["sides"] for r in s["runs"] if r["outcome"] == "ok"]
        self.assertEqual(sorted(titles), sorted(whole))

    def test_verdict(self):
        text = self.ask("document.getElementById('verdict').innerText")
        self.assertIn("changed, worse", text)
        self.assertIn("1 of 7 on the head", text)
        self.assertIn("Kernel panic", self.ask("document.getElementById('doubts').innerText"))

    def test_filter(self):
        changed = self.visible()
        self.assertIn("proc-vmstat.numa_hint_faults", changed)
        self.assertNotIn("meminfo.MemFree", changed)
        self.choose("other")
        self.assertIn("meminfo.MemFree", self.visible())
        self.assertNotIn("proc-vmstat.oom_kill", self.visible())
        self.choose("zero")
        counters = [m["name"] for m in self.data["metrics"] if not m["own"]]
        self.assertEqual(sorted(self.visible()), sorted(counters))
        self.assertEqual(self.ask("document.getElementById('shown').textContent"),
                         f"{len(counters)} of {len(counters)}")

    def test_search(self):
        self.search("NUMA  faults")
        self.assertEqual(self.visible(), ["proc-vmstat.numa_hint_faults"])
        self.search("oom")
        self.assertEqual(self.visible(), ["proc-vmstat.oom_kill"])
        self.search("no such thing")
        self.assertEqual(self.visible(), [])
        self.search("<script>")
        self.assertEqual(self.visible(), [HOSTILE])

    def test_sort(self):
        self.choose("zero")
        for column in (1, 3, 5, 6):
            for turn in (1, -1):
                values = self.sort_by(column)
                numbers = [v for v in values if v is not None]
                self.assertGreater(len(set(numbers)), 1, column)
                self.assertEqual(numbers, sorted(numbers, reverse=turn < 0), column)
                self.assertEqual(values[:len(numbers)], numbers, "no value comes last")
        names = self.sort_by(0)
        self.assertEqual(names, sorted(names))
        self.assertEqual(self.sort_by(0), sorted(names, reverse=True))
        heading = "document.querySelector('#table th[aria-sort]')"
        self.assertEqual(self.ask(heading + ".getAttribute('aria-sort')"), "descending")
        self.assertEqual(self.ask("document.querySelectorAll('#table th[aria-sort]').length"), 1)

    def test_hostile_text_is_text(self):
        self.assertTrue(self.ask("window.hacked === undefined"))
        self.assertEqual(self.ask("document.querySelectorAll('img, main script').length"), 0)
        self.assertIn(HOSTILE, self.ask("document.getElementById('manifest').textContent"))

    def test_fits_a_phone(self):
        for width in (320, 390, 800, 1280):
            self.browser.look(width, 800)
            self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), width)
            letters = self.ask("""Math.min(...Array.from(document.querySelectorAll("svg text"))
                .map((text) => text.getBoundingClientRect().height))""")
            self.assertGreaterEqual(letters, 8, f"letters in figures at {width}")

    def test_verdict_in_sight(self):
        """The last column is not cut off on a laptop, however long the name of the metric is."""
        self.ask("""document.querySelectorAll("#own tbody th").forEach((name) => {
            name.dataset.was = name.textContent;
            name.textContent = "vm-scalability.throughput_per_process_of_the_slowest_quarter, KB/s"; })""")
        for width in (1000, 1100, 1280):
            self.browser.look(width, 800)
            ends = self.ask("""Array.from(document.querySelectorAll("#own tr > :last-child"))
                .map((cell) => cell.getBoundingClientRect().right)""")
            box = self.ask("""document.getElementById("own").parentElement.getBoundingClientRect().right""")
            self.assertGreater(len(ends), 2)
            self.assertLessEqual(max(ends), box + 1, width)
        self.ask("""document.querySelectorAll("#own tbody th").forEach((name) => {
            name.textContent = name.dataset.was; })""")
        self.browser.look(1100, 800)

    def colors(self):
        return self.ask("""(() => { const style = getComputedStyle(document.documentElement);
            return [style.backgroundColor, style.color]; })()""")

    def test_light_dark_and_print(self):
        def brightness(color):
            return sum(int(part) for part in color[4:-1].split(",")[:3]) / 3

        for scheme, media, light in (("light", "", True), ("dark", "", False), ("dark", "print", True)):
            self.browser.look(1100, 800, scheme, media)
            paper, ink = map(brightness, self.colors())
            self.assertEqual(paper > ink, light, (scheme, media))
            self.assertGreater(abs(paper - ink), 150)
            form = self.ask("getComputedStyle(document.getElementById('find')).display")
            self.assertEqual(form == "none", media == "print")
        self.browser.look(1100, 800)

    def run_rig(self, *words):
        place = {**os.environ, "RIG_STATE_DIR": self.folder, "LC_ALL": "C.UTF-8"}
        return subprocess.run([RIG, *words], env=place, capture_output=True, text=True)

    def test_page_that_cannot_be_written(self):
        done = self.run_rig("compare", "base", "head", "--html", "/proc/no/such/report.html")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/proc/no/such", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_plot(self):
        run = next(r["id"] for r in self.data["sides"][0]["runs"])
        done = self.run_rig("results", "show", run, "--plot", "w.throughput")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"w.throughput of run {run}\n", done.stdout)
        self.assertIn("█", done.stdout)
        self.assertIn(" 4 samples\n", done.stdout)
        data = json.loads(self.run_rig("results", "show", run, "--plot", "w.throughput", "--json").stdout)
        self.assertEqual((data["run"], len(data["values"])), (run, 4))
        done = self.run_rig("results", "show", run, "--plot", "w.througput")
        self.assertEqual(done.returncode, 2)
        self.assertIn('is "w.throughput" meant?', done.stderr)

    def test_pictures(self):
        os.makedirs(OUT, exist_ok=True)
        for name, width, scheme in (("light", 1100, "light"), ("dark", 1100, "dark"), ("narrow", 390, "light")):
            self.browser.look(width, 900, scheme)
            path = os.path.join(OUT, f"report-{name}.png")
            self.browser.picture(path, (0, 0, width, 2200))
            with open(path, "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
            self.assertGreater(os.path.getsize(path), 20000)
        self.browser.look(1100, 800)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

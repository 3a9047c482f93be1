"""Ctrl-C ends the program, or the search over many fits, as everywhere in Python; the best model is kept."""

import signal
import subprocess
import sys
import textwrap

SETUP = """
    import signal, sys, dorm, numpy as np
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it
    data = dorm.synth(queries=400, features=60, seed=1, n_jobs=1)
    told = []
    def say(progress):
        if not told:
            told.append(1)
            print("training", flush=True)
    endless = dorm.DormRanker(C=1e6, tolerance=1e-9, solver_options={"max_passes": 10**9}, n_jobs=1)
"""


def interrupted(program):
    """What a program printed that got Ctrl-C as soon as it said that it trains."""
    code = textwrap.dedent(SETUP) + textwrap.dedent(program)
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "training\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_ctrl_c_raises_and_the_ranker_keeps_the_best_model():
    code, out, _ = interrupted("""
        try:
            endless.fit(data, callbacks=say)
        except KeyboardInterrupt as error:
            print(error)
        print(endless.report_.status, np.isfinite(endless.predict(data)).all(), endless.score(data) > 0.3)
    """)
    assert code == 0
    assert out.splitlines() == [
        "training was interrupted; the estimator keeps the best model so far",
        "interrupted True True",
    ]


def test_ctrl_c_ends_a_grid_search():
    """Each fit alone would take for ever: the search ends only if the first fit ends it."""
    code, out, err = interrupted("""
        from sklearn.model_selection import GridSearchCV
        import pandas
        class Told(dorm.DormRanker):
            def fit(self, X, y):
                return super().fit(X, y, callbacks=say)
        frame = pandas.DataFrame(data.X).add_prefix("f").assign(qid=data.qid)
        endless = Told(tolerance=1e-9, solver_options={"max_passes": 10**9}, n_jobs=1)
        search = GridSearchCV(endless, {"C": [1e5, 1e6]}, cv=dorm.QueryKFold(2))
        search.fit(frame, np.array(data.y))
        print("went on")
    """)
    assert code == -signal.SIGINT
    assert out == ""
    assert "KeyboardInterrupt" in err


def test_ctrl_c_ends_a_tuning():
    code, out, err = interrupted("""
        endless = {"tolerance": 1e-9, "solver_options": {"max_passes": 10**9}, "n_jobs": 1}
        dorm.tune(data, folds=5, grid={"C": [1e6, 1e7, 1e8]}, **endless, progress=say)
        print("went on")
    """)
    assert (code, out) == (-signal.SIGINT, "")
    assert "KeyboardInterrupt: tuning was interrupted" in err


def test_other_signal_handlers_are_heard():
    program = textwrap.dedent("""
        import signal, dorm
        def handler(*_):
            raise RuntimeError("alarm")
        signal.signal(signal.SIGALRM, handler)
        data = dorm.synth(queries=400, features=60, seed=1, n_jobs=1)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            dorm.DormRanker(C=1e6, tolerance=1e-9, solver_options={"max_passes": 10**9}, n_jobs=1).fit(data)
        except RuntimeError as error:
            print(error)
    """)
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout == "alarm\n"

"""Ctrl-C stops training and keeps the best model."""

import signal
import subprocess
import sys
import textwrap

PROGRAM = textwrap.dedent("""
    import signal, sys, warnings, dorm, numpy as np
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it
    data = dorm.synth(queries=400, features=60, seed=1, n_jobs=1)
    warnings.simplefilter("always")
    told = []
    def say(progress):
        if not told:
            told.append(1)
            print("training", flush=True)
    with warnings.catch_warnings(record=True) as caught:
        model = dorm.DormRanker(C=1e6, tolerance=1e-9, max_passes=10**9, n_jobs=1).fit(data, callbacks=say)
    print(model.report_.status, np.isfinite(model.predict(data)).all(), model.score(data) > 0.3)
    print(*{str(w.message) for w in caught})
    try:
        import time
        print("waiting", flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        print("still interruptible")
""")


def test_ctrl_c_keeps_the_model_and_the_interpreter_goes_on():
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "training\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted True True\n"
        assert process.stdout.readline() == "interrupted; the model is the best so far\n"
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "still interruptible\n"
    assert process.returncode == 0


def test_other_signal_handlers_are_heard():
    program = textwrap.dedent("""
        import signal, dorm
        def handler(*_):
            raise RuntimeError("alarm")
        signal.signal(signal.SIGALRM, handler)
        data = dorm.synth(queries=400, features=60, seed=1, n_jobs=1)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            dorm.DormRanker(C=1e6, tolerance=1e-9, max_passes=10**9, n_jobs=1).fit(data)
        except RuntimeError as error:
            print(error)
    """)
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout == "alarm\n"

"""Work in a process of its own, which outlives whoever asked for it by as long as it takes to undo the work.

A command can be killed at any moment, also where nothing can be caught (SIGKILL). So what leaves traces is done by
a child in its own session, out of reach of Ctrl-C, which notices that nobody waits for it any more.
"""

import os
import pickle
import select
from collections.abc import Callable

ACCEPTED = b"\n"


class Caller:
    """Whoever asked for the work, as the caretaker sees it."""

    def __init__(self, answers: int, questions: int):
        self.answers, self.questions = answers, questions

    def fileno(self) -> int:
        """Readable when the caller has gone: for select()."""
        return self.answers

    def gone(self) -> bool:
        return bool(select.select([self], [], [], 0)[0])

    def accepts(self) -> bool:
        """Tells the caller that all is done. False: it has gone, and the work is to be undone."""
        os.write(self.questions, pickle.dumps(None))
        return os.read(self.answers, 1) == ACCEPTED


def in_caretaker(work: Callable[[Caller], None]) -> None:
    """Runs work(caller), which ends with caller.accepts(). Raises what it raises."""
    answers, answer = os.pipe()
    question, questions = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setsid()
            os.close(answer)
            os.close(question)
            work(Caller(answers, questions))
            status = 0
        except BaseException as failed:
            os.write(questions, pickle.dumps(failed))
        finally:
            os._exit(status)
    os.close(answers)
    os.close(questions)
    try:
        said = os.read(question, 65536)
        result = pickle.loads(said) if said else ChildProcessError("the process that builds the lab was killed")
        if result is None:
            os.write(answer, ACCEPTED)
    finally:
        os.close(answer)
        os.waitpid(child, 0)  # also when we were interrupted: what was begun is undone by then
    if result is not None:
        raise result

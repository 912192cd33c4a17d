"""A program as a tree of text, parts of which can be left out while the rest stays a right program.

What belongs together (a send and its receive) has one group, and goes together.
"""

import itertools


class Node:
    """before, children, after. A group that is None stays; one that is gone leaves `instead` (before, after), or nothing at all."""

    def __init__(self, before="", children=(), after="", group=None, instead=None):
        self.before, self.children, self.after = before, list(children), after
        self.group, self.instead = group, instead

    def lines(self, gone, depth=0):
        before, after = self.before, self.after
        if self.group is not None and self.group in gone:
            if self.instead is None:
                return
            before, after = self.instead
        if before:
            yield from ("  " * depth + line for line in before.split("\n"))
        for child in self.children:
            yield from child.lines(gone, depth + bool(before))
        if after:
            yield from ("  " * depth + line for line in after.split("\n"))

    def groups(self, gone=frozenset()):
        """From the outside to the inside, each once."""
        found = {}
        if self.group is not None and self.group not in gone:
            found[self.group] = None
        if self.group not in gone or self.instead is not None:
            for child in self.children:
                found.update(dict.fromkeys(child.groups(gone)))
        return list(found)


class Grower:
    """Makes nodes, with numbers for their groups."""

    def __init__(self):
        self.numbers = itertools.count(1)

    def group(self):
        return next(self.numbers)

    def keep(self, text):
        return Node(text)

    def part(self, text):
        """A statement that may go."""
        return Node(text, group=self.group())

    def of(self, group, text):
        return Node(text, group=group)

    def block(self, before, children, after="}"):
        return Node(before, children, after)

    def around(self, before, children, after="}", instead=("{", "}")):
        """A condition or a loop around: what is in it may stand without."""
        return Node(before, children, after, self.group(), instead)


def text(node, gone=frozenset()):
    return "\n".join(node.lines(gone)) + "\n"

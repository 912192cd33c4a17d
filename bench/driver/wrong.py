class Wrong(Exception):
    """What the user must be told; the text says what was asked, what is wrong and what to do."""

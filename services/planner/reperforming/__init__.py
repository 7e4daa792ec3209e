"""Every value of a sample extracted again from what is stored of it. Pure, but for `work`.

refinding.py    the recorded element, in a stored page and in a stored observation
reading.py      what it says there, and what that reads as
verdicts.py     what two witnesses come to: each value, and whose record it is
work.py         the shell: evidence lends, a browser pool opens
"""

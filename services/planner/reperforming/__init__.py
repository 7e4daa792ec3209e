"""Every value of a sample extracted again from what is stored of it. Pure, but for `work`.

reading.py      what it says there, and what that reads as
verdicts.py     what two witnesses come to: each value, and whose record it is
work.py         the shell: evidence lends, a browser pool opens
"""

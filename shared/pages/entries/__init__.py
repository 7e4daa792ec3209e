"""Which entry of a spec reads a text of a page, in words of the page. Pure."""
